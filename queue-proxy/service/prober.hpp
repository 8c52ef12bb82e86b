// Keeps asking the app whether it takes requests, at the pace that Readiness wants.
#pragma once

#include <functional>

#include "base/sys/clock.hpp"
#include "http/io/task_group.hpp"
#include "queue-proxy/core/readiness.hpp"
#include "queue-proxy/service/app_probe.hpp"

namespace bellows::queue_proxy {

/// What a Prober asks and tells.
struct ProberLinks {
  std::function<bool()> has_requests;  ///< do requests wait for the app's answer?
  std::function<void()> on_change;     ///< readiness was gained or lost
  std::function<void()> on_failure;    ///< a probe failed, and the app is not ready (any more)
};

/// Owner: the service. Thread: the io thread.
class Prober {
 public:
  Prober(http::net::io_context& io, const sys::Clock& clock, AppProbe probe, ProbeSchedule schedule,
         ProberLinks links);

  void start();
  /// Ask anew, now.
  void app_restarted();
  /// A request was refused: ask now, unless the app is known to be away.
  void app_refused();
  /// Never ready again; asks no more.
  void start_draining();
  http::Awaitable<void> stop(TimePoint deadline);

  const Readiness& readiness() const { return readiness_; }

 private:
  http::Awaitable<void> run();
  ProbeFailure failure(ErrorKind kind, bool had_requests) const;
  void tell_change(bool was_ready);

  const sys::Clock& clock_;
  const AppProbe probe_;
  Readiness readiness_;
  const ProberLinks links_;
  http::Timer next_;  // expires at the next probe; cancelled to ask at once
  http::TaskGroup tasks_;
};

}  // namespace bellows::queue_proxy
