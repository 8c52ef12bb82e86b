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
constexpr double kMostOwed = 4.5;
/// After this time more, the factor moves half as fast, and so on: steady traffic, a steady target.
constexpr double kHalfAsFast = 40 * 60;
constexpr double kHour = 3600;
constexpr double kLowest = 2.0 / 3;
constexpr double kHighest = 4;
/// Before, what is missed is missed by the first replicas.
constexpr double kKnown = 14 * 60;

double rate_at(double age) {
  return kRise / (1 + std::max(age - to_seconds(kLearning), 0.0) / kHalfAsFast);
}

/// The missed seconds that count now. An interval of 30 s would make nothing of all but one of
/// those that a burst misses; before anything is known they are those of the first replicas.
double counted(GoalRecord& record, double seconds, double missed) {
  const double most = kMost * kWanted * seconds;
  if (record.age < kKnown) return std::min(missed, most);
  record.owed = std::min(record.owed + missed, std::max(most, kMostOwed));
  const double now = std::min(record.owed, most);
  record.owed -= now;
  return now;
}

}  // namespace

void record_goal(GoalRecord& record, double seconds, double missed) {
  if (seconds <= 0) return;
  record.age += seconds;
  const double beyond = counted(record, seconds, missed) / seconds / kWanted - 1;
  record.factor *= std::exp(-rate_at(record.age) * beyond * seconds / kHour);
  record.factor = std::clamp(record.factor, kLowest, kHighest);
}

}  // namespace bellows::autoscaler::slow
