// Decides from liveness probes whether the app hangs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace bellows::queue_proxy {

struct LivenessSchedule {
  Duration period = std::chrono::seconds(10);  ///< from the start of a probe to the next one
  int failures_until_hung = 3;                 ///< consecutive failures
};

/// Kind of a failed probe.
enum class LivenessFailure : std::uint8_t {
  kNoAnswer,  ///< a timeout: it counts unless the app has answered a request meanwhile
  kBad,       ///< another status, no HTTP, a refused or reset connection: it counts
};

/// A pure state machine; the prober asks next_probe() and reports each result. Probing begins when
/// the app is ready for the first time since its start, because until then progress-deadline bounds
/// it. One answer to a probe or to a request proves that the app lives, so an app that is slow at
/// its limit is not killed. Owner: LivenessProber. Thread: the io thread.
class Liveness {
 public:
  explicit Liveness(LivenessSchedule schedule) : schedule_(schedule) {}

  /// Starts probing when the current run of the app is ready for the first time; later calls are
  /// ignored.
  void app_ready(TimePoint now);
  /// Stops probing: a new process of the app starts, or the replica drains.
  void rest();

  void probe_began(TimePoint now) { next_probe_ = now + schedule_.period; }
  void probe_succeeded(TimePoint now);
  /// Records a failed probe. `has_answered`: the app has answered a request since the previous
  /// probe began.
  void probe_failed(std::string_view why, LivenessFailure how, bool has_answered, TimePoint now);

  /// Returns nullopt while it does not probe.
  std::optional<TimePoint> next_probe() const { return next_probe_; }
  /// Returns true from the detection of a hang until rest().
  bool is_hung() const { return is_hung_; }
  /// Returns "3 liveness probes failed in a row: ..." once it hangs.
  const std::string& reason() const { return reason_; }
  /// Returns when the app last showed that it lives.
  TimePoint last_sign() const { return last_sign_; }

 private:
  void lives(TimePoint now);

  const LivenessSchedule schedule_;
  std::optional<TimePoint> next_probe_;
  TimePoint last_sign_{};
  int failures_ = 0;
  bool is_hung_ = false;
  std::string reason_;
};

}  // namespace bellows::queue_proxy
