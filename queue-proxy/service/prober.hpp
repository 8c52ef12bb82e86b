// Probes the app again and again, at the intervals of Readiness.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/sys/clock.hpp"
#include "http/io/task_group.hpp"
#include "queue-proxy/core/readiness.hpp"
#include "queue-proxy/service/app_probe.hpp"

namespace bellows::queue_proxy {

/// What a Prober needs from its owner.
struct ProberCallbacks {
  std::function<bool()> has_requests;      ///< do requests wait for a response of the app?
  std::function<std::uint64_t()> answers;  ///< of the app to requests, so far
  std::function<void()> on_change;   ///< readiness was gained or lost, or app_version() changed
  std::function<void()> on_failure;  ///< a probe failed, and the app is not ready (any more)
};

/// Owner: the service. Thread: the io thread.
class Prober {
 public:
  /// How long an app that accepts connections without an answer counts as one that still starts.
  static constexpr Duration kSilence = std::chrono::seconds(5);

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
  /// As configured, or as found out when it became ready; HTTP/1.1 until then. An app that gives no
  /// answer for kSilence, or closes without one, is assumed to speak HTTP/1.1, and asked again with
  /// each probe until it has answered a request.
  const proxy::UpstreamVersion& app_version() const { return app_version_; }

 private:
  http::Awaitable<void> run();
  ProbeFailure failure(ErrorKind kind, bool had_requests) const;
  bool asks_version() const;
  bool is_starting(ErrorKind why_no_version);
  /// An error: the app is not ready.
  Result<void> take_version(const Result<proxy::UpstreamVersion>& found);
  void notify_if_changed(bool was_ready);

  const sys::Clock& clock_;
  const AppProbe probe_;
  Readiness readiness_;
  proxy::UpstreamVersion app_version_;
  bool is_assumed_ = false;                // app_version_
  std::uint64_t answers_ = 0;              // when it was assumed
  std::optional<TimePoint> silent_since_;  // the app accepts connections and gives no answer
  const ProberCallbacks callbacks_;
  bool is_running_ = false;
  std::uint64_t app_run_ = 0;  // how often the app was started again
  http::AsioTimer next_;       // expires at the next probe; cancelled to probe at once
  http::TaskGroup tasks_;
};

}  // namespace bellows::queue_proxy
