// Probes whether the app hangs.
#pragma once

#include <cstdint>
#include <functional>

#include "base/sys/clock.hpp"
#include "http/io/task_group.hpp"
#include "queue-proxy/core/liveness.hpp"
#include "queue-proxy/service/app_probe.hpp"

namespace bellows::queue_proxy {

/// What a LivenessProber needs from its owner.
struct LivenessCallbacks {
  std::function<std::uint64_t()> answers;  ///< of the app to requests, so far
  std::function<void()> on_hung;           ///< liveness().is_hung() since now
};

/// Probes go straight to the app: they neither wait in the queue nor take a slot. Owner: the
/// service. Thread: the io thread.
class LivenessProber {
 public:
  LivenessProber(http::net::io_context& io, const sys::Clock& clock, AppProbe probe,
                 LivenessSchedule schedule, LivenessCallbacks callbacks);

  /// Probes begin a period from now, unless they have begun.
  void app_ready();
  /// Another process of the app runs, or the replica drains: a probe under way does not count.
  void rest();
  http::Awaitable<void> stop(TimePoint deadline);

  const Liveness& liveness() const { return liveness_; }

 private:
  http::Awaitable<void> run(std::uint64_t number);
  http::Awaitable<void> probe(std::uint64_t number);

  const sys::Clock& clock_;
  const AppProbe probe_;
  Liveness liveness_;
  const LivenessCallbacks callbacks_;
  std::uint64_t run_ = 0;      // of the app, as this has seen it
  std::uint64_t answers_ = 0;  // when the last probe began
  http::AsioTimer next_;       // cancelled by rest()
  http::TaskGroup tasks_;
};

}  // namespace bellows::queue_proxy
