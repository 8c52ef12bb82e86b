// Closes a stat every second and passes it to the sender.
#pragma once

#include "base/sys/clock.hpp"
#include "http/io/task_group.hpp"
#include "metrics/meter.hpp"
#include "metrics/service_meter.hpp"
#include "metrics/stat.hpp"
#include "queue-proxy/core/occupancy.hpp"
#include "queue-proxy/service/app_usage.hpp"

namespace bellows::queue_proxy {

/// Sources of a replica's stats.
struct Measured {
  metrics::ConcurrencyMeter& load;
  metrics::ServiceMeter& service;
  AppUsage& app;
  const Occupancy& occupancy;
};

/// The sources and the sink must outlive it. Owner: the service. Thread: the io thread.
class Reporter {
 public:
  /// `boot` is random, one per process.
  Reporter(http::net::io_context& io, const sys::Clock& clock, RevisionId revision, PodName pod,
           std::uint64_t boot, Measured measured, metrics::StatSink& sink);

  void start();
  /// Closes the current second and passes its stat to the sink: the last report of a draining
  /// replica.
  void close_second();
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  http::Awaitable<void> run();
  void begin_search();
  http::Awaitable<void> search();

  const sys::Clock& clock_;
  metrics::Stat stat_;  // names, boot and sequence are constant; the rest is set each second
  Measured measured_;
  metrics::StatSink& sink_;
  bool is_searching_ = false;  // for the app
  http::TaskGroup tasks_;
};

}  // namespace bellows::queue_proxy
