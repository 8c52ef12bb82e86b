// Limits how fast the output of one process is read. Pure.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/time.hpp"

namespace bellows::cluster {

/// A token bucket: a mebibyte a second, and one at once. Beyond that the pipe is not read, so a
/// process that floods its output waits as for any slow reader, instead of taking the core of its
/// neighbours (91 % of one before this limit). Owner: a Process; both of its streams share one.
class OutputBudget {
 public:
  static constexpr std::size_t kBytesPerSecond = std::size_t{1024} * 1024;

  explicit OutputBudget(TimePoint now) : full_at_(now) {}

  /// Takes `bytes` that were read. Returns how long to wait before the next read.
  Duration take(std::size_t bytes, TimePoint now) {
    full_at_ = std::max(full_at_, now) +
               from_seconds(static_cast<double>(bytes) / static_cast<double>(kBytesPerSecond));
    return std::max(full_at_ - now - std::chrono::seconds(1), Duration::zero());
  }

 private:
  TimePoint full_at_;  // when everything that was read is paid for
};

}  // namespace bellows::cluster
