#include "autoscaler/slow/goal_record.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::autoscaler::slow {
namespace {

constexpr double kAllowed = 0.01;
constexpr double kRarely = 0.003;
constexpr double kEnough = 10 * 60;
/// Missed seconds come in bursts of about so many.
constexpr double kBurst = 10;
constexpr double kLong = 6 * 3600;
constexpr double kDay = 24 * 3600;
constexpr double kLower = 0.85;
constexpr double kHigher = 1.05;
constexpr double kLowest = 0.5;
constexpr double kHelps = 0.8;

void take_back(GoalRecord& record) {
  record.factor = std::min(1.0, record.factor / kLower);
  record.share_before = 0;
  record.is_no_use = true;
}

}  // namespace

void restart_count(GoalRecord& record) {
  record.seconds = record.missed = 0;
}

void record_goal(GoalRecord& record, double seconds, double missed) {
  record.seconds += seconds;
  record.missed += missed;
  if (record.seconds < kEnough) return;
  const double share = record.missed / record.seconds;
  if (record.is_no_use) {
    if (record.seconds > kDay) record = {.factor = record.factor};
    return;
  }
  // One standard deviation of the number of bursts may be chance.
  const double certain = record.missed - std::sqrt(kBurst * record.missed);
  if (certain > kAllowed * record.seconds) {
    if (record.share_before > 0 && share > kHelps * record.share_before) {
      take_back(record);
    } else if (record.factor * kLower >= kLowest) {
      record.factor *= kLower;
      record.share_before = share;
    }
    return restart_count(record);
  }
  if (record.seconds > kLong && share < kRarely) {
    record.factor = std::min(1.0, record.factor * kHigher);
    record.share_before = 0;
    restart_count(record);
  }
}

}  // namespace bellows::autoscaler::slow
