// Why an app is not ready, for the log: enough to act upon, and not a line per probe.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace bellows::queue_proxy {

/// While an app is away each reason is news once; none in the first second, in which most apps
/// start. Owner: the service. Thread: the io thread.
class UnreadyNews {
 public:
  static constexpr Duration kPatience = std::chrono::seconds(1);
  static constexpr std::size_t kMaxReasons = 8;  ///< one with a number in it could be new for ever

  explicit UnreadyNews(TimePoint now) : since_(now) {}

  /// It was ready and is not any more, which is told at once.
  void lost(std::string_view reason, TimePoint now) {
    since_ = now;
    told_ = {std::string(reason)};
  }

  /// It is still away. True if that is to be told, which counts as done.
  bool is_news(std::string_view reason, TimePoint now) {
    if (now - since_ < kPatience || told_.size() >= kMaxReasons) return false;
    if (std::find(told_.begin(), told_.end(), reason) != told_.end()) return false;
    told_.emplace_back(reason);
    return true;
  }

 private:
  TimePoint since_;
  std::vector<std::string> told_;
};

}  // namespace bellows::queue_proxy
