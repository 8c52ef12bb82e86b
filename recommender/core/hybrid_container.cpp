#include "recommender/core/hybrid_container.hpp"

#include <algorithm>
#include <utility>

namespace bellows::recommender {

namespace {

constexpr Duration kDay = std::chrono::hours(24);
constexpr double kOomFactor = 2;
constexpr double kRepeatedOomFactor = 4;

}  // namespace

void HybridResource::record_usage(double amount, WallTime at, bool is_steady) {
  has_news = true;
  hold.used = std::max(hold.used, amount);
  (is_steady ? steady : startup).add(amount, at);
}

/// Doubled, because VPA's bump needs 12 kills from 250 MiB to 20 GiB and doubling needs 7. If the
/// raised target is killed too, the next one is four times as high: then it takes 4.
void HybridResource::hold_after_oom(std::int64_t needed, Bytes killed, WallTime at,
                                    Duration hold_time) {
  const auto had = static_cast<double>(killed.value);
  const bool is_held = at < hold.until;
  const bool is_repeated = is_held && hold.rule == Rule::kOom && had >= hold.amount;
  const double amount =
      std::max(static_cast<double>(needed), (is_repeated ? kRepeatedOomFactor : kOomFactor) * had);
  hold = {.amount = is_held ? std::max(amount, hold.amount) : amount,
          .at = at,
          .until = at + hold_time,
          .rule = Rule::kOom};
}

void HybridResource::hold_after_crash(const HybridInput& input, double amount, bool is_first,
                                      WallTime now, Duration hold_time) {
  if (is_first) before_crashes = input.current();
  hold = {.amount = amount, .at = now, .until = now + hold_time, .rule = Rule::kCrash};
}

bool HybridResource::revert_doublings(WallTime now) {
  if (before_crashes == 0) return false;
  if (hold.rule == Rule::kCrash) hold = {};
  target = std::exchange(before_crashes, 0);
  scale_downs.push_back(now);
  return true;
}

bool HybridResource::apply(const HybridDecision& decision, WallTime now) {
  if (target && static_cast<std::int64_t>(*target) == decision.target) return false;
  const auto next = static_cast<double>(decision.target);
  if (target && next < *target) {
    scale_downs.push_back(now);
  } else if (decision.rule != Rule::kStartup) {
    last_rise = now;
  }
  target = next;
  return true;
}

std::int32_t HybridResource::scale_downs_in_a_day(WallTime now) const {
  return static_cast<std::int32_t>(std::count_if(scale_downs.begin(), scale_downs.end(),
                                                 [&](WallTime at) { return now - at <= kDay; }));
}

void HybridResource::forget_old_scale_downs(WallTime now) {
  std::erase_if(scale_downs, [&](WallTime at) { return now - at > kDay; });
}

}  // namespace bellows::recommender
