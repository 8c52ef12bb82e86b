// Plays the story on a running machine, shows what happens, and sums it up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/demo/load.hpp"
#include "cli/demo/story.hpp"
#include "cli/machine/machine.hpp"
#include "cli/screen/live_area.hpp"
#include "cli/status/status_view.hpp"

namespace bellows::cli {

/// Owner: the command. Thread: the io thread. What is handed in outlives it.
class Demo {
 public:
  Demo(http::net::io_context& io, const sys::Clock& clock, const Machine& machine,
       MachineAddresses addresses, LiveArea& area);

  /// From the first chapter to the last. An error if the service does not come back to zero in
  /// time, or Bellows itself stops answering.
  http::Awaitable<Result<void>> play();

  /// What the visitors saw and what it took.
  std::vector<std::string> summary() const;
  bool all_answered() const { return load_.record().failed == 0 && load_.record().answered > 0; }

 private:
  http::Awaitable<Result<void>> play(const Chapter& chapter);
  bool look(const Status& status, const Chapter& chapter, TimePoint end);
  void show(const RevisionStatus& web, const Chapter& chapter);
  bool is_over(const RevisionStatus& web, const Chapter& chapter, TimePoint end) const;

  const sys::Clock& clock_;
  const Machine& machine_;
  const MachineAddresses addresses_;
  LiveArea& area_;
  Load load_;
  StatusHistory history_;
  const TimePoint start_;
  TimePoint last_line_;
  TimePoint left_alone_;  // when the last visitor had been answered
  PodCount max_replicas_ = 0;
  bool saw_panic_ = false;
  std::optional<Duration> back_to_zero_;
};

}  // namespace bellows::cli
