// Whether the app hangs, according to the liveness probes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace bellows::queue_proxy {

struct LivenessSchedule {
  Duration period = std::chrono::seconds(10);  ///< from the beginning of a probe to the next one
  int failures_until_hung = 3;                 ///< in a row
};

/// What a failed probe says.
enum class LivenessFailure : std::uint8_t {
  kNoAnswer,  ///< a timeout: it counts unless the app has answered a request meanwhile
  kBad,       ///< another status, no HTTP, a refused or reset connection: it counts
};

/// Pure state machine; the prober asks next_probe() and reports each result. Probing begins when
/// the app is ready for the first time since its start, because until then progress-deadline
/// bounds it. One answer to a probe or to a request proves that the app lives: an app that is slow
/// because it works at its limit is not killed. Owner: LivenessProber. Thread: the io thread.
class Liveness {
 public:
  explicit Liveness(LivenessSchedule schedule) : schedule_(schedule) {}

  /// Of the present run of the app; ignored unless it is the first time.
  void app_ready(TimePoint now);
  /// Another process of the app runs, which is not ready yet; or the replica drains.
  void rest();

  void probe_began(TimePoint now) { next_probe_ = now + schedule_.period; }
  void probe_succeeded(TimePoint now);
  /// `has_answered`: the app has answered a request since the probe before this one began.
  void probe_failed(std::string_view why, LivenessFailure how, bool has_answered, TimePoint now);

  /// nullopt: nothing is probed now.
  std::optional<TimePoint> next_probe() const { return next_probe_; }
  /// Once it hangs, until rest().
  bool is_hung() const { return is_hung_; }
  /// "3 liveness probes failed in a row: ...", once it hangs.
  const std::string& reason() const { return reason_; }
  /// The app was last seen to live.
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
