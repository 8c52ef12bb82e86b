// Logs each reason for an app not being ready once, instead of once per probe.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace bellows::queue_proxy {

/// Selects the reasons to log while an app is not ready: each once, and none during the first
/// second, in which most apps start. Owner: the service. Thread: the io thread.
class LogOncePerReason {
 public:
  static constexpr Duration kDelay = std::chrono::seconds(1);
  static constexpr std::size_t kMaxReasons =
      8;  ///< a reason that contains a number could be new each time

  explicit LogOncePerReason(TimePoint now) : since_(now) {}

  /// Records that a ready app became unready, which the caller logs at once.
  void readiness_lost(std::string_view reason, TimePoint now) {
    since_ = now;
    logged_ = {std::string(reason)};
  }

  /// Returns true if the reason of an app that is still not ready should be logged, and counts it
  /// as logged.
  bool should_log(std::string_view reason, TimePoint now) {
    if (now - since_ < kDelay || logged_.size() >= kMaxReasons) return false;
    if (std::find(logged_.begin(), logged_.end(), reason) != logged_.end()) return false;
    logged_.emplace_back(reason);
    return true;
  }

 private:
  TimePoint since_;
  std::vector<std::string> logged_;
};

}  // namespace bellows::queue_proxy
