#include "recommender/core/hybrid_container.hpp"

#include <algorithm>

namespace bellows::recommender {

namespace {

constexpr double kOomFactor = 2;
constexpr double kSteepOomFactor = 4;
/// Memory that grew by more than this factor since the last recommendation outgrows twice its size
/// before the next one.
constexpr double kSteepGrowth = 1.25;
/// An older recommendation tells nothing about the growth since.
constexpr Duration kRecent = std::chrono::minutes(2);
/// A job with a longer period is cheaper if it is killed once than if its room is held: a held
/// gibibyte costs every hour, a kill once.
constexpr Duration kLongestPeriod = 3 * kDayLength;
/// Factor of the time between two needs, so that the next one lies within.
constexpr double kPeriodMargin = 1.25;

/// Returns how long to hold after a need at `at`, if the last one was at `before`.
Duration hold_length(WallTime before, WallTime at, Duration least) {
  if (before == WallTime::min() || at - before > kLongestPeriod) return least;
  const auto period =
      static_cast<Duration::rep>(kPeriodMargin * static_cast<double>((at - before).count()));
  return std::max(least, Duration(period));
}

}  // namespace

void HybridResource::record_usage(double amount, WallTime at, bool is_steady) {
  has_news = true;
  hold.used = std::max(hold.used, amount);
  released.used = std::max(released.used, amount);
  note_need(amount, at);
  (is_steady ? steady : startup).add(amount, at);
}

/// Extends the hold while usage exceeds the killed size: that memory is needed until usage has been
/// lower for some time. This continues after the hold while the percentile of history covers it;
/// otherwise the next need would find it removed.
void HybridResource::note_need(double amount, WallTime at) {
  if (hold.length == Duration::zero() || amount <= hold.killed) return;
  hold.length = hold_length(hold.needed, at, hold.length);
  hold.needed = std::max(hold.needed, at);
  hold.until = std::max(hold.until, at + hold.length);
}

/// Doubles the size, because VPA's bump needs 12 kills from 250 MiB to 20 GiB and doubling needs 7.
/// If the raised target is killed too, the next one is four times as high: then it takes 4. A
/// replica that is killed again before it got more, or whose memory grew steeply, needs far more
/// than it had: twice that would cost another kill, four times costs an hour of memory.
void HybridResource::hold_after_oom(std::int64_t needed, Bytes killed, WallTime at, bool is_again,
                                    const config::HybridSettings& settings) {
  const auto had = static_cast<double>(killed.value);
  const bool is_held = at < hold.until;
  const bool is_repeated = is_held && had >= hold.amount;
  const bool is_loop = is_again && is_held && had == hold.killed;
  const bool is_steep =
      growth.now > 0 && at - growth.at <= kRecent && had > kSteepGrowth * growth.now;
  const double factor = is_repeated || is_loop || is_steep ? kSteepOomFactor : kOomFactor;
  const double raised = std::max(static_cast<double>(needed), factor * had);
  double known = 0;
  if (is_held) known = hold.amount;
  if (!is_held) known = hold.amount_at(at, Duration::zero(), settings.margin_fraction);
  Duration length = std::max(hold.length, settings.oom_hold);
  if (!is_held) length = hold_length(hold.needed, at, length);
  hold = {.amount = std::max(raised, known),
          .at = at,
          .until = at + length,
          .killed = had,
          .needed = at,
          .length = length};
}

bool HybridResource::apply(const HybridDecision& decision, const HybridInput& input,
                           double up_factor, WallTime now) {
  if (target && static_cast<std::int64_t>(*target) == decision.target) return false;
  const auto next = static_cast<double>(decision.target);
  const bool is_for_start = decision.rule == Rule::kStartup && next > input.current();
  if (!is_for_start) {
    before_start = 0;
  } else if (before_start == 0) {
    before_start = input.current();
  }
  if (decision.is_return) released.returned = now;
  if (target && next < *target) {
    scale_downs.push_back(now);
    released.remember(*target, up_factor, now);
  } else if (decision.rule != Rule::kStartup) {
    last_rise = now;
    released.used = 0;
  }
  target = next;
  return true;
}

void HybridResource::begin_at(std::optional<double> prior, WallTime now) {
  if (!prior) return;
  target = prior;
  last_rise = now;
}

void HybridResource::begin_held(double killed, WallTime now, Duration hold_time) {
  hold = {.amount = target.value_or(killed),
          .at = now,
          .until = now + hold_time,
          .killed = killed,
          .needed = now,
          .length = hold_time};
}

WallTime HybridResource::last_change() const {
  return scale_downs.empty() ? last_rise : std::max(last_rise, scale_downs.back());
}

std::int32_t HybridResource::scale_downs_in_a_day(WallTime now) const {
  return static_cast<std::int32_t>(std::count_if(
      scale_downs.begin(), scale_downs.end(), [&](WallTime at) { return now - at <= kDayLength; }));
}

void HybridResource::forget_old_scale_downs(WallTime now) {
  std::erase_if(scale_downs, [&](WallTime at) { return now - at > kDayLength; });
}

}  // namespace bellows::recommender
