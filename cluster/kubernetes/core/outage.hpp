// What may be ordered around an outage of the API server.
#pragma once

#include <optional>

#include "base/time.hpp"

namespace bellows::cluster {

/// While the API server is away nothing is ordered. When it is back, an order to scale up goes out
/// after a delay that is drawn once per outage, so that all autoscalers and revisions do not come
/// at once; an order to scale down waits until every list has been confirmed since: what was known
/// before says nothing about the pods that are there now.
class Outage {
 public:
  static constexpr Duration kMaxDelay = std::chrono::seconds(3);

  /// The server cannot be reached; only the first call counts.
  void lost(TimePoint now);
  /// It answers again. `fraction` in [0, 1) draws the delay. No effect without an outage.
  void regained(TimePoint now, double fraction);
  /// All lists are known to be those of the server, as of a time after regained().
  void confirmed() { is_confirmed_ = true; }

  std::optional<TimePoint> since() const { return since_; }
  bool is_confirmed() const { return is_confirmed_; }

  enum class Answer : std::uint8_t {
    kSend,
    kUnreachable,  ///< the server is away
    kTooEarly,     ///< back, but the drawn delay is not over
    kUnconfirmed,  ///< back, but the lists may be those from before
  };
  Answer may_order(bool is_down, TimePoint now) const;
  /// The end of the drawn delay.
  TimePoint ready_at() const { return ready_at_; }

 private:
  std::optional<TimePoint> since_;
  TimePoint ready_at_{};
  bool is_confirmed_ = true;
};

}  // namespace bellows::cluster
