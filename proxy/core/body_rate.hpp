// Minimum rate at which the body of a request has to arrive. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.hpp"

namespace bellows::proxy {

/// Computes when a body is late. A caller has credit of kCredit at most: it may pause that long,
/// however fast it was before, so that an upload of single bytes cannot hold a slot for the whole
/// time limit of a request. Time in which the upstream does not read does not count. Owner: the
/// reader of the body.
class BodyRate {
 public:
  static constexpr Duration kCredit = std::chrono::seconds(30);

  /// `bytes_per_second` must be greater than 0.
  BodyRate(std::int64_t bytes_per_second, TimePoint began)
      : bytes_per_second_(bytes_per_second), deadline_(began + kCredit), last_(began) {}

  /// Returns when the body is late if no byte of it arrives until then. `bytes` is the number
  /// received so far. `is_due`: the caller has to send; otherwise the result is TimePoint::max(),
  /// and the time does not count.
  TimePoint deadline(TimePoint now, std::uint64_t bytes, bool is_due) {
    if (!was_due_) deadline_ += now - last_;
    last_ = now;
    was_due_ = is_due;
    // Bytes beyond the credit have no effect, and would overflow.
    const auto most = static_cast<std::uint64_t>(bytes_per_second_ * (kCredit / kSecond));
    const auto gained = static_cast<std::int64_t>(std::min(bytes - bytes_, most));
    bytes_ = bytes;
    deadline_ = std::min(deadline_ + kSecond * gained / bytes_per_second_, now + kCredit);
    return is_due ? deadline_ : TimePoint::max();
  }

 private:
  static constexpr Duration kSecond = std::chrono::seconds(1);

  std::int64_t bytes_per_second_;
  TimePoint deadline_;
  TimePoint last_;
  std::uint64_t bytes_ = 0;
  bool was_due_ = true;
};

}  // namespace bellows::proxy
