#include "autoscaler/slow/goal_record.hpp"

#include <algorithm>
#include <cmath>

#include "autoscaler/slow/level_table.hpp"

namespace bellows::autoscaler::slow {
namespace {

/// The share of missed seconds that the factor is moved to.
constexpr double kWanted = 0.003;
/// Of the logarithm of the factor in an hour with nothing missed, while all is new.
constexpr double kRise = 0.6;
/// Missed seconds come in bursts: no interval counts for more than so many times the wanted share.
constexpr double kMost = 10;
constexpr double kMostOwed = 4.5;
constexpr double kNew = 30 * 60;
/// After this time more, the factor moves half as fast, and so on: steady traffic, a steady target.
constexpr double kHalfAsFast = 40 * 60;
constexpr double kHour = 3600;
constexpr double kDay = 24 * kHour;
constexpr double kLowest = 0.5;
constexpr double kHighest = 4;
/// Traffic changes with the hours: what was seen at a target loses half of its weight.
constexpr double kHalfLife = 3 * kHour;
constexpr double kForgotten = 1;
/// A target so much lower helps or does not.
constexpr double kLower = 0.65;
constexpr double kHelps = 0.8;
constexpr double kWorse = 1.5;
/// A target is known after so many seconds, or once so many of them missed the goal: the more of
/// them do, the less is chance.
constexpr double kEnough = 14 * 60;
constexpr double kEnoughMissed = 60;
/// Fewer missed seconds are no reason to give up.
constexpr double kAllowed = 0.015;

double rate_at(double age) {
  return kRise / (1 + std::max(age - kNew, 0.0) / kHalfAsFast);
}

bool is_known(const GoalLevel& level) {
  return level.seconds >= kEnough || level.missed >= kEnoughMissed;
}

GoalLevel& level_at(GoalRecord& record, double target) {
  const auto level = static_cast<std::uint8_t>(level_of(target));
  auto it = record.levels.begin();
  while (it != record.levels.end() && it->level < level) ++it;
  if (it == record.levels.end() || it->level != level) {
    it = record.levels.insert(it, GoalLevel{.level = level});
  }
  return *it;
}

const GoalLevel& remember(GoalRecord& record, double target, double seconds, double missed) {
  const double left = std::exp2(-seconds / kHalfLife);
  for (GoalLevel& level : record.levels) {
    level.target *= left;
    level.seconds *= left;
    level.missed *= left;
  }
  std::erase_if(record.levels, [](const GoalLevel& level) { return level.seconds < kForgotten; });
  GoalLevel& now = level_at(record, target);
  now.target += seconds * target;
  now.seconds += seconds;
  now.missed += missed;
  return now;
}

/// The missed seconds that count now. An interval of 30 s would make nothing of all but one of
/// those that a burst misses; before anything is known they are those of the first replicas.
double counted(GoalRecord& record, double seconds, double missed) {
  const double most = kMost * kWanted * seconds;
  if (record.age < kEnough) return std::min(missed, most);
  record.owed = std::min(record.owed + missed, std::max(most, kMostOwed));
  const double now = std::min(record.owed, most);
  record.owed -= now;
  return now;
}

void move_factor(GoalRecord& record, double seconds, double missed) {
  missed = counted(record, seconds, missed);
  const double beyond = missed / seconds / kWanted - 1;
  record.factor *= std::exp(-rate_at(record.age) * beyond * seconds / kHour);
  record.factor = std::clamp(record.factor, kLowest, kHighest);
}

/// The seconds at all targets up to `highest`.
GoalLevel seconds_up_to(const GoalRecord& record, double highest) {
  GoalLevel sum;
  for (const GoalLevel& level : record.levels) {
    if (level.mean_target() > highest) break;
    sum.target += level.target;
    sum.seconds += level.seconds;
    sum.missed += level.missed;
  }
  return sum;
}

/// The highest target that misses the goal no more often than those much lower.
void seek_floor(GoalRecord& record) {
  for (const GoalLevel& level : record.levels) {
    const GoalLevel lower = seconds_up_to(record, kLower * level.mean_target());
    if (!is_known(level) || !is_known(lower) || lower.share() <= kAllowed) continue;
    if (lower.share() <= kHelps * level.share()) continue;
    record.floor = level.mean_target();
    record.floor_share = lower.share();
    record.floor_age = 0;
    record.factor = 1;
  }
}

/// The floor is no longer known to be as good: a day has passed, or it misses the goal more often.
bool is_in_doubt(const GoalRecord& record, const GoalLevel& now) {
  if (record.floor_age > kDay) return true;
  return record.floor_age >= kEnough && is_known(now) && now.share() > kWorse * record.floor_share;
}

}  // namespace

std::optional<double> lowest_known(const GoalRecord& record) {
  const auto known = std::find_if(record.levels.begin(), record.levels.end(), is_known);
  if (known == record.levels.end()) return std::nullopt;
  return known->mean_target();
}

double highest_used(const GoalRecord& record) {
  return record.levels.empty() ? 0 : record.levels.back().mean_target();
}

bool lower_is_no_use(const GoalRecord& record) {
  constexpr double kOften = 0.05;
  return record.floor > 0 && record.floor_share > kOften;
}

void record_goal(GoalRecord& record, double target, double seconds, double missed) {
  if (seconds <= 0) return;
  record.age += seconds;
  const GoalLevel& now = remember(record, target, seconds, missed);
  if (record.floor <= 0) {
    move_factor(record, seconds, missed);
    seek_floor(record);
    return;
  }
  record.floor_age += seconds;
  if (!is_in_doubt(record, now)) return;
  record.floor = record.floor_age = record.floor_share = 0;
  record.levels.clear();
}

}  // namespace bellows::autoscaler::slow
