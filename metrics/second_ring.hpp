// Amounts per second with running sums over the stable and over the panic window.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/time.hpp"
#include "metrics/decaying_sum.hpp"
#include "metrics/measure.hpp"

namespace bellows::metrics {

enum class Window : std::uint8_t { kStable = 0, kPanic = 1 };

/// A whole second of the monotonic time line: [Second, Second + 1).
using Second = std::int64_t;

constexpr Second second_of(TimePoint at) {
  return std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count();
}

/// Lengths in seconds; 1 <= panic <= stable.
struct WindowLengths {
  Second stable = 60;
  Second panic = 6;

  Second of(Window window) const { return window == Window::kStable ? stable : panic; }
  bool operator==(const WindowLengths&) const = default;
};

/// `Amount` is zero when value-initialised and has += and -= without rounding (integers), so that a
/// running sum never drifts. The stable window is the seconds (head - stable, head], the panic
/// window (head - panic, head]. Advancing by one second costs O(1), a read costs O(1).
///
/// On request it keeps weighted sums too, in which a second weighs less than the next newer one
/// (newest_weight); `Amount * double` gives their terms. They are doubles, updated by recurrence:
/// each step subtracts what leaves and then scales the sum. The rounding error is scaled too, so it
/// stays below 1e-15 of what has left; use sum() to find out whether the window is empty.
///
/// Memory depends on the oldest second with an amount rather than on the window: none before the
/// first amount, then 64 slots, doubled up to the window. So a source that reported once costs the
/// same whatever the length of the window.
template <class Amount>
class SecondRing {
 public:
  using Weighted = decltype(std::declval<Amount>() * 1.0);

  explicit SecondRing(WindowLengths lengths) : lengths_(lengths) {
    CHECK(1 <= lengths.panic && lengths.panic <= lengths.stable, "windows are ordered by length");
  }

  const WindowLengths& lengths() const { return lengths_; }
  Second head() const { return head_; }
  bool holds(Second second) const { return second <= head_ && head_ - second < lengths_.stable; }

  /// Moves the windows forward to `head`.
  void advance(Second head) {
    if (head <= head_) return;
    if (head - head_ >= lengths_.stable) {
      std::fill(slots_.begin(), slots_.end(), Amount{});
      sums_ = {};
      weighted_ = {};
      head_ = head;
      return;
    }
    while (head_ < head) step();
  }

  /// Returns the amount of a second that the stable window holds.
  const Amount& at(Second second) const {
    static const Amount kNothing{};
    return has_slot(second) ? slots_[index(second)] : kNothing;
  }

  void add(Second second, const Amount& amount) {
    while (!has_slot(second)) grow();
    slots_[index(second)] += amount;
    sum_of(Window::kStable) += amount;
    if (head_ - second < lengths_.panic) sum_of(Window::kPanic) += amount;
    if (weighs_) add_weighted(head_ - second, amount);
  }

  const Amount& sum(Window window) const { return sums_[static_cast<std::size_t>(window)]; }

  /// Starts or stops keeping the weighted sums.
  void weigh(bool weighs) {
    if (weighs == weighs_) return;
    weighs_ = weighs;
    weighted_ = {};
    if (!weighs) return;
    for (const Window window : {Window::kStable, Window::kPanic}) {
      const double decay = 1 - newest_weight(lengths_.of(window));
      scales_[static_cast<std::size_t>(window)] = {decay,
                                                   whole_power(decay, lengths_.of(window) - 1)};
    }
    for (Second age = lengths_.stable - 1; age >= 0; --age) add_weighted(age, at(head_ - age));
  }
  bool weighs() const { return weighs_; }

  /// Returns the weighted sum, in which the head's weight is 1. Requires weighs().
  const Weighted& weighted(Window window) const {
    return weighted_[static_cast<std::size_t>(window)];
  }

  /// Returns the weight of a second that is `age` seconds older than the head. Requires weighs().
  double weight(Window window, Second age) const {
    return whole_power(scales_[static_cast<std::size_t>(window)].decay, age);
  }

  /// Keeps the newest seconds that both the old and the new stable window hold.
  void resize(WindowLengths lengths) {
    SecondRing resized(lengths);
    resized.head_ = head_;
    const Second kept = std::min(lengths.stable, lengths_.stable);
    for (Second back = kept - 1; back >= 0; --back) {
      const Amount& amount = at(head_ - back);
      if (amount != Amount{}) resized.add(head_ - back, amount);
    }
    resized.weigh(weighs_);
    *this = std::move(resized);
  }

 private:
  static constexpr std::size_t kFirstSlots = 64;  // a window of a minute

  std::size_t full_size() const { return std::bit_ceil(static_cast<std::size_t>(lengths_.stable)); }
  /// Returns false if no amount was added for it.
  bool has_slot(Second second) const { return head_ - second < static_cast<Second>(slots_.size()); }

  /// Doubles the slots, or makes the first ones. Existing amounts keep their seconds.
  void grow() {
    std::vector<Amount> grown(slots_.empty() ? std::min(kFirstSlots, full_size())
                                             : 2 * slots_.size());
    const auto kept = static_cast<Second>(slots_.size());
    for (Second second = head_; head_ - second < kept; --second) {
      grown[static_cast<std::size_t>(second) & (grown.size() - 1)] = slots_[index(second)];
    }
    slots_ = std::move(grown);
  }

  std::size_t index(Second second) const {
    return static_cast<std::size_t>(second) & (slots_.size() - 1);
  }
  Amount& sum_of(Window window) { return sums_[static_cast<std::size_t>(window)]; }

  struct Scale {
    double decay = 0;   // weight of a second relative to the next newer
    double oldest = 0;  // weight of the window's oldest second
  };

  void add_weighted(Second age, const Amount& amount) {
    if (age == 0) {  // the usual case: the weight is 1
      const Weighted once = amount * 1.0;
      weighted_[0] += once;
      weighted_[1] += once;
      return;
    }
    for (const Window window : {Window::kStable, Window::kPanic}) {
      if (age >= lengths_.of(window)) continue;
      weighted_[static_cast<std::size_t>(window)] += amount * weight(window, age);
    }
  }

  /// Updates the weighted sum. `leaving` is the amount of the second that leaves the window.
  void step_weighted(Window window, const Amount& leaving) {
    const Scale& scale = scales_[static_cast<std::size_t>(window)];
    Weighted& weighted = weighted_[static_cast<std::size_t>(window)];
    weighted -= leaving * scale.oldest;
    weighted *= scale.decay;
  }

  void step() {
    const Second next = head_ + 1;
    const Amount behind_panic = at(next - lengths_.panic);
    const Amount leaving = at(next - lengths_.stable);
    // The slot of the new second holds one that is still in the window, unless it is the whole
    // window.
    const bool has_slots = !slots_.empty();
    if (has_slots && slots_.size() < full_size() && slots_[index(next)] != Amount{}) grow();
    head_ = next;
    if (weighs_) {
      step_weighted(Window::kStable, leaving);
      step_weighted(Window::kPanic, behind_panic);
    }
    sum_of(Window::kPanic) -= behind_panic;
    sum_of(Window::kStable) -= leaving;
    if (has_slots) slots_[index(head_)] = Amount{};
  }

  WindowLengths lengths_;
  Second head_ = std::numeric_limits<Second>::min() / 2;  // before all time
  std::array<Amount, 2> sums_{};
  bool weighs_ = false;
  std::array<Weighted, 2> weighted_{};
  std::array<Scale, 2> scales_{};
  // Second s is at s modulo the size, a power of two; seconds before head - size are empty.
  std::vector<Amount> slots_;
};

}  // namespace bellows::metrics
