// Probes whether the app hangs.
#pragma once

#include <cstdint>
#include <functional>

#include "base/sys/clock.hpp"
#include "http/io/task_group.hpp"
#include "queue-proxy/core/liveness.hpp"
#include "queue-proxy/service/app_probe.hpp"

namespace bellows::queue_proxy {

/// Callbacks to the owner of a LivenessProber.
struct LivenessCallbacks {
  std::function<std::uint64_t()> answers;  ///< number of the app's answers to requests so far
  std::function<void()> on_hung;           ///< called when liveness().is_hung() becomes true
};

/// Probes go directly to the app: they neither wait in the queue nor take a slot. Owner: the
/// service. Thread: the io thread.
class LivenessProber {
 public:
  LivenessProber(http::net::io_context& io, const sys::Clock& clock, AppProbe probe,
                 LivenessSchedule schedule, LivenessCallbacks callbacks);

  /// Starts probing a period from now, unless it has begun.
  void app_ready();
  /// Stops probing: a new process of the app starts, or the replica drains. A pending probe does
  /// not count.
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
  std::uint64_t run_ = 0;      // runs of the app known here
  std::uint64_t answers_ = 0;  // `answers` when the last probe began
  http::AsioTimer next_;       // cancelled by rest()
  http::TaskGroup tasks_;
};

}  // namespace bellows::queue_proxy
