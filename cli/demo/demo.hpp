// Runs the script of the demonstration against a machine, shows the state, and summarizes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/demo/load.hpp"
#include "cli/demo/script.hpp"
#include "cli/screen/live_area.hpp"
#include "cli/status/status_view.hpp"
#include "machine/service/machine.hpp"

namespace bellows::cli {

/// Owner: the command. Thread: the io thread. All arguments outlive it.
class Demo {
 public:
  Demo(http::net::io_context& io, const sys::Clock& clock, const machine::Machine& machine,
       machine::MachineAddresses addresses, LiveArea& area);

  /// Runs all phases. Fails if the service does not scale to zero in time, or if the admin port
  /// does not respond.
  http::Awaitable<Result<void>> run();

  /// Returns requests, latencies, cold starts and replicas, as lines.
  std::vector<std::string> summary() const;
  bool all_succeeded() const { return load_.record().failed == 0 && load_.record().succeeded > 0; }

 private:
  http::Awaitable<Result<void>> run(const Phase& phase);
  bool on_status(const Status& status, const Phase& phase, TimePoint end);
  void show(const ServiceStatus& web, const Phase& phase);
  bool is_over(const ServiceStatus& web, const Phase& phase, TimePoint end) const;

  const sys::Clock& clock_;
  const machine::Machine& machine_;
  const machine::MachineAddresses addresses_;
  LiveArea& area_;
  Load load_;
  StatusHistory history_;
  const TimePoint start_;
  TimePoint last_line_;
  TimePoint last_request_;  // when requests were last in flight
  PodCount max_replicas_ = 0;
  bool saw_panic_ = false;
  std::optional<Duration> scaled_to_zero_after_;
};

}  // namespace bellows::cli
