// Probes the app repeatedly, at the intervals of Readiness.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/sys/clock.hpp"
#include "http/io/task_group.hpp"
#include "queue-proxy/core/readiness.hpp"
#include "queue-proxy/service/app_probe.hpp"

namespace bellows::queue_proxy {

/// Callbacks to the owner of a Prober.
struct ProberCallbacks {
  std::function<bool()> has_requests;  ///< returns true if requests wait for a response of the app
  std::function<std::uint64_t()> answers;  ///< number of the app's answers to requests so far
  std::function<void()> on_change;         ///< called when readiness or app_version() changes
  /// Called when a probe failed, and the app is not ready (any more).
  std::function<void()> on_failure;
};

/// Owner: the service. Thread: the io thread.
class Prober {
 public:
  /// Time for which an app that accepts connections without an answer counts as starting.
  static constexpr Duration kSilence = std::chrono::seconds(5);

  Prober(http::net::io_context& io, const sys::Clock& clock, AppProbe probe, ProbeSchedule schedule,
         ProberCallbacks callbacks);

  void start();
  /// Probes again at once. The result of a pending probe is ignored, because it is not about the
  /// new process.
  void app_restarted();
  /// Probes at once after the app refused the connection of a request, unless the app is not ready
  /// anyway.
  void app_refused();
  /// Sets it not ready and stops probing.
  void start_draining();
  /// Resumes probing after the drain was undone.
  void end_draining();
  http::Awaitable<void> stop(TimePoint deadline);

  const Readiness& readiness() const { return readiness_; }
  /// Returns the configured version, or the one detected when the app became ready; HTTP/1.1 until
  /// then. An app that does not answer for kSilence, or closes without an answer, is assumed to
  /// speak HTTP/1.1, and checked again with each probe until it has answered a request.
  const proxy::UpstreamVersion& app_version() const { return app_version_; }

 private:
  http::Awaitable<void> run();
  ProbeFailure failure(ErrorKind kind, bool had_requests) const;
  bool asks_version() const;
  bool is_starting(ErrorKind why_no_version);
  /// Takes the detected version. An error means that the app is not ready.
  Result<void> take_version(const Result<proxy::UpstreamVersion>& found);
  void notify_if_changed(bool was_ready);

  const sys::Clock& clock_;
  const AppProbe probe_;
  Readiness readiness_;
  proxy::UpstreamVersion app_version_;
  bool is_assumed_ = false;    // app_version_ is assumed
  std::uint64_t answers_ = 0;  // `answers` when it was assumed
  // Since when the app accepts connections without an answer.
  std::optional<TimePoint> silent_since_;
  const ProberCallbacks callbacks_;
  bool is_running_ = false;
  std::uint64_t app_run_ = 0;  // number of restarts of the app
  http::AsioTimer next_;       // expires at the next probe; cancelled to probe at once
  http::TaskGroup tasks_;
};

}  // namespace bellows::queue_proxy
