#include "recommender/core/hybrid_container.hpp"

#include <algorithm>

namespace bellows::recommender {

namespace {

/// Four kills are enough from 250 MiB to 20 GiB; VPA's bump needs 12, doubling 7. What is too much
/// costs memory for a window, then the target is what was used.
constexpr double kOomFactor = 4;
/// Factor of the time between two needs, so that the next one lies within.
constexpr double kPeriodMargin = 1.25;

/// Returns how long to hold after a need at `at`, if the last one was at `before`.
Duration hold_length(WallTime before, WallTime at, Duration least) {
  if (before == WallTime::min() || at - before > kWeek) return least;
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

void HybridResource::hold_after_oom(std::int64_t needed, Bytes killed, WallTime at,
                                    bool is_at_maximum, const config::HybridSettings& settings) {
  const auto had = static_cast<double>(killed.value);
  const bool is_held = at < hold.until;
  const double factor = is_at_maximum ? kOomFactor / 2 : kOomFactor;
  const double raised = std::max(static_cast<double>(needed), factor * had);
  double known = hold.amount;
  if (!is_held && known > 0) known = hold.amount_at(at, Duration::zero(), settings.margin_fraction);
  Duration length = std::max(hold.length, settings.oom_hold);
  if (!is_held) length = hold_length(hold.needed, at, length);
  hold = {.amount = std::max(raised, known),
          .at = at,
          .until = at + length,
          .killed = had,
          .needed = at,
          .length = length};
}

bool HybridResource::apply(const HybridDecision& decision, double up_factor, WallTime now) {
  if (target && static_cast<std::int64_t>(*target) == decision.target) return false;
  const auto next = static_cast<double>(decision.target);
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

std::int32_t HybridResource::scale_downs_in_a_day(WallTime now) const {
  return static_cast<std::int32_t>(
      std::count_if(scale_downs.begin(), scale_downs.end(),
                    [&](WallTime at) { return now - at <= std::chrono::days(1); }));
}

void HybridResource::forget_old_scale_downs(WallTime now) {
  std::erase_if(scale_downs, [&](WallTime at) { return now - at > std::chrono::days(1); });
}

}  // namespace bellows::recommender
