// Probes the app again and again, at the intervals of Readiness.
#pragma once

#include <cstdint>
#include <functional>

#include "base/sys/clock.hpp"
#include "http/io/task_group.hpp"
#include "queue-proxy/core/readiness.hpp"
#include "queue-proxy/service/app_probe.hpp"

namespace bellows::queue_proxy {

/// What a Prober needs from its owner.
struct ProberCallbacks {
  std::function<bool()> has_requests;  ///< do requests wait for a response of the app?
  std::function<void()> on_change;     ///< readiness was gained or lost
  std::function<void()> on_failure;    ///< a probe failed, and the app is not ready (any more)
};

/// Owner: the service. Thread: the io thread.
class Prober {
 public:
  Prober(http::net::io_context& io, const sys::Clock& clock, AppProbe probe, ProbeSchedule schedule,
         ProberCallbacks callbacks);

  void start();
  /// Probes again at once. A probe that is under way says nothing about the new process.
  void app_restarted();
  /// The app refused the connection of a request: probes at once, unless the app is not ready
  /// anyway.
  void app_refused();
  /// Not ready; stops probing.
  void start_draining();
  /// The drain turned out to be none: probes again.
  void end_draining();
  http::Awaitable<void> stop(TimePoint deadline);

  const Readiness& readiness() const { return readiness_; }
  /// As configured, or as found out when it became ready; HTTP/1.1 until then.
  const proxy::UpstreamVersion& app_version() const { return app_version_; }

 private:
  http::Awaitable<void> run();
  ProbeFailure failure(ErrorKind kind, bool had_requests) const;
  void notify_if_changed(bool was_ready);

  const sys::Clock& clock_;
  const AppProbe probe_;
  Readiness readiness_;
  proxy::UpstreamVersion app_version_;
  const ProberCallbacks callbacks_;
  bool is_running_ = false;
  std::uint64_t app_run_ = 0;  // how often the app was started again
  http::AsioTimer next_;       // expires at the next probe; cancelled to probe at once
  http::TaskGroup tasks_;
};

}  // namespace bellows::queue_proxy
