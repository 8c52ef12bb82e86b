#include "autoscaler/slow/goal_record.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::autoscaler::slow {
namespace {

/// The share of missed seconds that the controller holds.
constexpr double kWanted = 0.003;
/// The rise of the logarithm of the factor in an hour without missed seconds, at the start of
/// learning.
constexpr double kRise = 0.6;
/// The maximum of missed seconds that count in an interval, as a multiple of the wanted share,
/// because missed seconds occur in bursts.
constexpr double kMost = 10;
constexpr double kMostOwed = 4.5;
/// The time after which the rate of the factor is half of the first one, so that steady traffic has
/// a steady target.
constexpr double kHalfAsFast = 40 * 60;
constexpr double kHour = 3600;
constexpr double kLowest = 2.0 / 3;
constexpr double kHighest = 4;
/// The age before which missed seconds count as those of the first replicas.
constexpr double kKnown = 14 * 60;

double rate_at(double age) {
  return kRise / (1 + std::max(age - to_seconds(kLearning), 0.0) / kHalfAsFast);
}

/// Returns the missed seconds that count now. The others of a burst count later, because an
/// interval of 30 s counts only one. Before kKnown missed seconds are those of the first replicas.
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
