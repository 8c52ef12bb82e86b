#include "autoscaler/slow/goal_record.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::autoscaler::slow {
namespace {

/// The share of missed seconds that the factor is moved to.
constexpr double kWanted = 0.003;
/// Of the logarithm of the factor in an hour with nothing missed, while all is new.
constexpr double kRise = 0.6;
/// Missed seconds come in bursts: no interval counts for more than so many times the wanted share.
constexpr double kMost = 10;
constexpr double kNew = 30 * 60;
/// After this time more, the factor moves half as fast, and so on: steady traffic, a steady target.
constexpr double kHalfAsFast = 40 * 60;
constexpr double kHour = 3600;
constexpr double kDay = 24 * kHour;
constexpr double kLowest = 0.5;
constexpr double kHighest = 4;
/// A factor so much lower, over so many seconds at least, helps or does not.
constexpr double kLower = 0.6;
constexpr double kEnough = 15 * 60;
constexpr double kHelps = 0.8;
/// Fewer missed seconds are no reason to give up.
constexpr double kAllowed = 0.01;

double rate_at(double age) {
  return kRise / (1 + std::max(age - kNew, 0.0) / kHalfAsFast);
}

void begin_count(GoalRecord& record, double share_before) {
  record.mark = record.factor;
  record.share_before = share_before;
  record.seconds = record.missed = 0;
}

}  // namespace

void record_goal(GoalRecord& record, double seconds, double missed) {
  if (seconds <= 0) return;
  record.age += seconds;
  record.seconds += seconds;
  record.missed += missed;
  if (record.is_no_use) {
    record.is_no_use = record.seconds <= kDay;
    if (!record.is_no_use) begin_count(record, 0);
    return;
  }
  const double beyond = std::min(missed / seconds / kWanted, kMost) - 1;
  record.factor *= std::exp(-rate_at(record.age) * beyond * seconds / kHour);
  record.factor = std::clamp(record.factor, kLowest, kHighest);
  if (record.factor > record.mark / kLower) return begin_count(record, 0);
  const bool is_lower = record.factor <= std::max(record.mark * kLower, kLowest);
  if (!is_lower || record.seconds < kEnough) return;
  const double share = record.missed / record.seconds;
  const double before = record.share_before;
  record.is_no_use = before > 0 && share > std::max(kHelps * before, kAllowed);
  if (record.is_no_use) {
    record.factor = 1;
    return begin_count(record, 0);
  }
  // At the lowest it is judged again, by the same share.
  const bool was_lowest = record.mark <= kLowest;
  begin_count(record, was_lowest ? before : share);
}

}  // namespace bellows::autoscaler::slow
