// Sum over the seconds of a sliding window in which each second weighs less than the next newer
// one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bellows::metrics {

/// Returns `base` to a whole power >= 0 by repeated squaring (as Go's math.Pow does).
inline double whole_power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base) {
    if ((exponent & 1) != 0) result *= base;
  }
  return result;
}

/// The sum of amount(s) * decay^(now - s) over the window's seconds s; decay 1 is a plain sum. The
/// owner stores the amounts and reports its changes. It is a queue of two stacks: amounts are only
/// added, never subtracted, so seconds that leave the window leave no rounding error. It costs O(1)
/// amortised for changes of the newest second and for reads; a change up to `boundary` costs one
/// pass over the window at the next read. `Amount` is a sum of doubles: Amount{} is zero; it has +
/// and * with a weight.
template <class Amount>
class DecayingSum {
 public:
  DecayingSum(std::int64_t seconds, double decay)
      : seconds_(seconds),
        decay_(decay),
        front_(std::bit_ceil(static_cast<std::size_t>(seconds))) {}

  /// Discards the stacks, because all amounts may have changed.
  void forget() { is_stale_ = true; }

  /// Advances the newest second by `seconds` >= 0, all empty, and then adds `amount` to it.
  void add_newest(std::int64_t seconds, const Amount& amount) {
    const double passed = whole_power(decay_, seconds);
    back_ = back_ * passed + amount;
    since_boundary_ *= passed;
  }

  /// Adds `amount` to an older second.
  void add_late(std::int64_t second, std::int64_t newest, const Amount& amount) {
    if (second <= boundary_) is_stale_ = true;
    back_ = back_ + amount * whole_power(decay_, newest - second);
  }

  /// Returns the sum of the window (now - seconds, now], in which the seconds after `newest` <= now
  /// are empty; `amount_of(s)` is called for s in (newest - seconds, newest].
  template <class AmountOf>
  Amount read(std::int64_t newest, std::int64_t now, const AmountOf& amount_of) {
    if (now - newest >= seconds_) return {};
    const std::int64_t oldest = now - seconds_ + 1;
    if (is_stale_ || oldest > boundary_ + 1) rebuild(newest, amount_of);
    Amount sum = back_;
    if (oldest <= boundary_) sum = sum + front_[index(oldest)] * since_boundary_;
    return sum * whole_power(decay_, now - newest);
  }

 private:
  std::size_t index(std::int64_t second) const {
    return static_cast<std::size_t>(second) & (front_.size() - 1);
  }

  /// Moves all seconds but the newest to the front stack, because amounts of the newest second keep
  /// arriving.
  template <class AmountOf>
  void rebuild(std::int64_t newest, const AmountOf& amount_of) {
    boundary_ = newest - 1;
    back_ = amount_of(newest);
    since_boundary_ = decay_;
    Amount sum{};
    double weight = 1;
    for (std::int64_t second = boundary_; second > newest - seconds_; --second) {
      sum = sum + amount_of(second) * weight;
      weight *= decay_;
      front_[index(second)] = sum;
    }
    is_stale_ = false;
  }

  std::int64_t seconds_;
  double decay_;
  bool is_stale_ = true;       // both stacks must be rebuilt
  std::int64_t boundary_ = 0;  // seconds up to this one are in the front stack
  Amount back_{};              // sum of the seconds after boundary_
  double since_boundary_ = 1;  // decay^(newest - boundary_)
  std::vector<Amount> front_;  // for second s: the sum over s..boundary_, weighted as at boundary_
};

}  // namespace bellows::metrics
