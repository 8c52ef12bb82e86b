// Amounts per second with two running sums: of the stable and of the panic window.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/check.hpp"
#include "base/time.hpp"

namespace bellows::metrics {

enum class Window : std::uint8_t { kStable = 0, kPanic = 1 };

/// A whole second of the monotonic time line: [Second, Second + 1).
using Second = std::int64_t;

constexpr Second second_of(TimePoint at) {
  return std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count();
}

/// In seconds; 1 <= panic <= stable.
struct WindowLengths {
  Second stable = 60;
  Second panic = 6;

  Second of(Window window) const { return window == Window::kStable ? stable : panic; }
  bool operator==(const WindowLengths&) const = default;
};

/// `Amount` begins empty when value-initialised and knows += and -= without rounding (integers), so
/// that a running sum never drifts. The stable window is the seconds (head - stable, head], the
/// panic window (head - panic, head]. A step of the head costs O(1), a read costs O(1).
template <class Amount>
class SecondRing {
 public:
  explicit SecondRing(WindowLengths lengths) : lengths_(lengths) {
    CHECK(1 <= lengths.panic && lengths.panic <= lengths.stable, "windows are ordered by length");
    slots_.resize(std::bit_ceil(static_cast<std::size_t>(lengths.stable)));
  }

  const WindowLengths& lengths() const { return lengths_; }
  Second head() const { return head_; }
  bool holds(Second second) const { return second <= head_ && head_ - second < lengths_.stable; }

  /// Moves the windows on to `head`; never back.
  void advance(Second head) {
    if (head <= head_) return;
    if (head - head_ >= lengths_.stable) {
      std::fill(slots_.begin(), slots_.end(), Amount{});
      sums_ = {};
      head_ = head;
      return;
    }
    while (head_ < head) step();
  }

  /// Of a second that the stable window holds.
  const Amount& at(Second second) const { return slots_[index(second)]; }

  void add(Second second, const Amount& amount) {
    slots_[index(second)] += amount;
    sum_of(Window::kStable) += amount;
    if (head_ - second < lengths_.panic) sum_of(Window::kPanic) += amount;
  }

  const Amount& sum(Window window) const { return sums_[static_cast<std::size_t>(window)]; }

  /// Keeps the newest seconds that both the old and the new stable window hold.
  void resize(WindowLengths lengths) {
    SecondRing resized(lengths);
    resized.head_ = head_;
    const Second kept = std::min(lengths.stable, lengths_.stable);
    for (Second back = kept - 1; back >= 0; --back) resized.add(head_ - back, at(head_ - back));
    *this = std::move(resized);
  }

 private:
  std::size_t index(Second second) const {
    return static_cast<std::size_t>(second) & (slots_.size() - 1);
  }
  Amount& sum_of(Window window) { return sums_[static_cast<std::size_t>(window)]; }

  void step() {
    ++head_;
    sum_of(Window::kPanic) -= slots_[index(head_ - lengths_.panic)];
    Amount& leaving = slots_[index(head_ - lengths_.stable)];
    sum_of(Window::kStable) -= leaving;
    leaving = Amount{};
  }

  WindowLengths lengths_;
  Second head_ = std::numeric_limits<Second>::min() / 2;  // before any time
  std::array<Amount, 2> sums_{};
  std::vector<Amount> slots_;  // second s lives at s modulo the size, a power of two
};

}  // namespace bellows::metrics
