// Decides what may be ordered around an outage of the API server.
#pragma once

#include <optional>

#include "base/time.hpp"

namespace bellows::cluster {

/// Nothing is ordered while the API server cannot be reached. After that, an order to scale up
/// waits for a delay that is drawn once per outage, so that all autoscalers and revisions do not
/// act at once. An order to scale down waits until every list has been confirmed, because older
/// lists say nothing about the pods that exist now.
class Outage {
 public:
  static constexpr Duration kMaxDelay = std::chrono::seconds(3);

  /// The server cannot be reached; only the first call counts.
  void lost(TimePoint now);
  /// The server answers again. `fraction` in [0, 1) draws the delay. No effect without an outage.
  void regained(TimePoint now, double fraction);
  /// All lists are known to be those of the server, as of a time after regained().
  void confirmed() { is_confirmed_ = true; }

  std::optional<TimePoint> since() const { return since_; }
  bool is_confirmed() const { return is_confirmed_; }

  enum class Answer : std::uint8_t {
    kSend,
    kUnreachable,  ///< the server cannot be reached
    kTooEarly,     ///< reachable again, but the drawn delay is not over
    kUnconfirmed,  ///< reachable again, but the lists may be older
  };
  Answer may_order(bool is_down, TimePoint now) const;
  /// Returns the end of the drawn delay.
  TimePoint ready_at() const { return ready_at_; }

 private:
  std::optional<TimePoint> since_;
  TimePoint ready_at_{};
  bool is_confirmed_ = true;
};

}  // namespace bellows::cluster
