// How fast slots became free lately, and with it how long a refused caller had better wait. Pure.
#pragma once

#include <array>
#include <cstdint>

#include "base/time.hpp"

namespace bellows::proxy {

/// Counts over the last ten whole seconds.
class DrainRate {
 public:
  /// A slot became free.
  void freed(TimePoint now);

  /// Slots per second over the last ten seconds, or since the first one if that is less.
  double per_second(TimePoint now) const;

  /// Whole seconds until `waiting` requests will have gone at that rate: 1 to 60. Nothing freed
  /// lately: 1 without a line, else 60.
  int retry_after_seconds(std::int64_t waiting, TimePoint now) const;

 private:
  static constexpr std::int64_t kSeconds = 10;
  static std::int64_t second_of(TimePoint at);

  std::array<std::int64_t, kSeconds> freed_{};
  std::int64_t newest_ = -1;  // second of the latest entry
  std::int64_t oldest_ = -1;  // first second ever seen
};

}  // namespace bellows::proxy
