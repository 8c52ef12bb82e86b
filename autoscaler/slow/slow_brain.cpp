#include "autoscaler/slow/slow_brain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace bellows::autoscaler::slow {
namespace {

using namespace std::chrono_literals;

constexpr Duration kHalfLife = 24h;
constexpr double kFirstTarget = 10;
constexpr double kLeastConfidence = 0.3;  // of a bound that binds
constexpr double kHysteresis = 0.1;
constexpr double kBeyondReach = 2;  // multiple of the highest level seen, for a target or a curve
constexpr double kAnotherTime = 0.26;  // ln(1.3): from it on the service time has changed
constexpr double kWorstCrowding = 4;
/// The assumed additional crowding until enough data exist: three times the target at first.
constexpr double kUnknownCrowding = 2;
constexpr Duration kCrowdingKnown = 10min;

bool is_learning(const SlowState& state, TimePoint now) {
  return now - state.since < kLearning;
}

/// Returns the mean logarithm of (time now / time before) at the same levels. nullopt: none has
/// both.
std::optional<double> change_of_time(const LevelTable& before, const LevelTable& now) {
  double sum = 0;
  double weight = 0;
  for (const LevelSum& level : now.levels()) {
    const LevelSum* const same = before.find(level.level);
    if (same == nullptr) continue;
    const TimesSum& old = same->times;
    const TimesSum& fresh = level.times;
    if (old.count() < kLeastRequests || fresh.count() < kLeastRequests) continue;
    sum += fresh.count() * (*fresh.mean_log() - *old.mean_log());
    weight += fresh.count();
  }
  if (weight < 3 * kLeastRequests) return std::nullopt;
  return sum / weight;
}

/// Returns the factor by which a weight with `half_life` decays in `passed`.
double left_after(Duration passed, Duration half_life) {
  return std::exp2(-to_seconds(passed) / to_seconds(half_life));
}

/// Updates the worst moment of the revision as a multiple of its target.
void watch_crowding(const SlowSpec& spec, SlowState& state, const Interval& interval,
                    Duration passed) {
  state.crowding = 1 + (state.crowding - 1) * left_after(passed, kHalfLife);
  const double sized_for = std::max(1.0, spec.is_used ? state.target : spec.configured);
  const double seen = std::min(interval.fleet.crowding / sized_for, kWorstCrowding);
  state.crowding = std::max(state.crowding, seen);
}

double crowding_of(const SlowState& state) {
  const double unknown = kUnknownCrowding * left_after(state.at - state.since, kCrowdingKnown);
  return std::max(state.crowding, 1 + unknown);
}

/// Returns true for a further report of the same kill, because kills of one moment are reported one
/// after the other.
bool is_same_kill(const SlowState& state, const Interval& interval) {
  constexpr Duration kMoment = 2min;
  return state.kill.weight > 0 && interval.end - state.kill.at < kMoment;
}

enum class Learned : std::uint8_t { kAsBefore, kAnew };

/// Ages the table and adds the interval to it. Seconds unlike the table are kept apart first. If
/// the next ones differ from it in the same direction, the app has changed, and the table restarts
/// with them.
Learned learn(const SlowSpec& spec, SlowState& state, const Interval& interval) {
  const Duration passed = std::max(interval.end - state.at, Duration::zero());
  const double left = left_after(passed, kHalfLife);
  state.table.scale(left);
  state.kill.weight *= left;
  watch_crowding(spec, state, interval, passed);
  if (interval.limits.cpu > 0) state.limits.cpu = interval.limits.cpu;
  if (interval.limits.memory > 0) state.limits.memory = interval.limits.memory;
  if (interval.killed_at > 0 && !is_same_kill(state, interval)) {
    // At most the target, which was too high, at least for the bursts beyond it.
    const double level = std::min(interval.killed_at, state.target);
    const bool is_lower = !state.kill.is_remembered() || level < state.kill.level;
    state.kill = {is_lower ? level : state.kill.level, 1, interval.end};
  }
  const auto change = change_of_time(state.table, interval.table);
  const bool is_unlike = change && std::abs(*change) > kAnotherTime;
  const auto earlier = change_of_time(state.table, state.suspect);
  if (is_unlike && earlier && *earlier * *change > 0) {
    state.table = std::exchange(state.suspect, LevelTable{});
    state.table.add(interval.table);
    state.since = interval.end;
    state.goal = {};
    const double reached = std::max(state.target, state.table.reach(kLeastSeconds));
    state.ceiling = *change > 0 ? reached : 0;
    return Learned::kAnew;
  }
  if (is_unlike) {
    state.suspect.add(interval.table);
    return Learned::kAsBefore;
  }
  state.table.add(state.suspect);
  state.suspect = {};
  state.table.add(interval.table);
  return Learned::kAsBefore;
}

/// Adds the jumps of the interval. Once replicas are kept ready for jumps, crowding and kills by
/// earlier jumps say nothing about the target, so they are reset.
void meet_jumps(SlowState& state, const Interval& interval) {
  const bool was_kept = state.jumps.is_kept;
  record_jumps(state.jumps, interval.fleet.jumps, interval.end);
  if (was_kept || !state.jumps.is_kept) return;
  state.crowding = 1;
  state.kill.weight = std::min(state.kill.weight, OutOfMemory::kForgotten);
}

/// Returns the lowest confident bound. A curve that is extrapolated to more than twice the highest
/// level seen means that no bound is near.
std::optional<Reason> least(const Bounds& bounds, double reach) {
  std::optional<Reason> found;
  double level = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (!bounds[i] || bounds[i]->confidence < kLeastConfidence) continue;
    if (!bounds[i]->is_seen && bounds[i]->level > kBeyondReach * reach) continue;
    if (found && bounds[i]->level >= level) continue;
    found = static_cast<Reason>(i);
    level = bounds[i]->level;
  }
  return found;
}

/// Returns the hard limit that would protect a replica: a quarter above the bound, beyond which its
/// memory or throughput would not suffice.
std::optional<std::int32_t> suggested_limit(const Advice& advice) {
  if (!advice.reason || advice.confidence < kLeastConfidence) return std::nullopt;
  return static_cast<std::int32_t>(std::clamp(std::ceil(1.25 * advice.wanted), 1.0, 1000.0));
}

double clamped(const SlowSpec& spec, double target) {
  return std::clamp(target, spec.min, std::max(spec.min, spec.max));
}

/// Returns the level of a confident bound; infinite: there is none.
double level_of_bound(const Advice& advice, Reason reason) {
  const auto& bound = advice.bounds[static_cast<std::size_t>(reason)];
  const bool says_nothing = !bound || bound->confidence < kLeastConfidence;
  return says_nothing ? std::numeric_limits<double>::infinity() : bound->level;
}

/// Returns the level that would kill a replica, which is a limit in any case.
double hard_limit_of(const SlowState& state, const Advice& advice) {
  return level_of_bound(advice, Reason::kMemory) * std::min(1.0, state.goal.factor);
}

/// Returns true if the goal is missed too often and no data show that a higher target keeps it. The
/// target then counts as the cause, although no bound is known yet.
bool is_rise_unsafe(const SlowSpec& spec, const SlowState& state, const Advice& advice) {
  if (!spec.goal || state.goal.factor >= 1) return false;
  return !advice.reason || !advice.bounds[static_cast<std::size_t>(*advice.reason)]->is_seen;
}

/// Returns the wanted target, from the bounds and the data.
double wanted_of(const SlowSpec& spec, const SlowState& state, const Advice& advice) {
  const double reach = kBeyondReach * state.table.reach(kLeastSeconds);
  double wanted = advice.reason ? advice.bounds[static_cast<std::size_t>(*advice.reason)]->level
                                : std::max(state.target, reach);
  double highest = reach;
  if (!spec.goal && state.ceiling > 0) highest = std::min(highest, state.ceiling);
  // The rate of missed seconds corrects the level of the table, which has only data of single
  // replicas.
  if (spec.goal && advice.reason) wanted *= state.goal.factor;
  if (wanted > state.target) wanted = std::max(state.target, std::min(wanted, highest));
  if (is_rise_unsafe(spec, state, advice)) wanted = std::min(wanted, state.target);
  if (spec.goal) wanted = std::min(wanted, hard_limit_of(state, advice));
  return clamped(spec, wanted);
}

/// Returns the reason that the target stays; nullopt: it changes.
std::optional<Step> holds(const SlowState& state, const Interval& interval, const Advice& advice) {
  const double change = advice.wanted / state.target;
  if (interval.is_rollout) return Step::kRollout;
  const double seconds = std::min(state.table.seconds(), interval.table.seconds());
  if (seconds < kLeastSeconds) return Step::kTooFewData;
  if (std::abs(change - 1) < kHysteresis) return Step::kSteady;
  return std::nullopt;
}

void take_step(const SlowState& state, const Interval& interval, Advice& advice) {
  const bool is_fast = is_learning(state, interval.end);
  // Without a binding bound the highest level seen is the limit.
  const double up = is_fast || !advice.reason ? 1.5 : 1.1;
  const double down = is_fast ? 0.5 : 0.8;
  advice.target = std::clamp(advice.wanted, state.target * down, state.target * up);
  advice.step = advice.wanted > state.target ? Step::kRaised : Step::kLowered;
}

/// Counts the missed seconds of an interval. Those missed by a jump until replicas have started say
/// nothing about the target, unless replicas were kept ready.
void record_misses(SlowState& state, const Interval& interval) {
  const double by_jumps = state.jumps.is_kept ? interval.fleet.missed_by_jumps : 0;
  record_goal(state.goal, interval.fleet.seconds, interval.fleet.missed + by_jumps);
}

/// Returns the time of an idle replica if that alone misses the goal.
std::optional<double> best_possible(const SlowSpec& spec, const SlowState& state,
                                    const Advice& advice) {
  if (!spec.goal || advice.learned_seconds < kLeastSeconds) return std::nullopt;
  const auto idle = idle_time(state.table, spec.goal->quantile);
  return idle && *idle > to_seconds(spec.goal->limit) ? idle : std::nullopt;
}

}  // namespace

std::string_view to_string(Step step) {
  constexpr std::array<std::string_view, 7> kNames = {
      "too-few-data", "rollout", "steady", "raised", "lowered", "killed", "new-behaviour"};
  return kNames[static_cast<std::size_t>(step)];
}

Bounds bounds_of(const SlowSpec& spec, const SlowState& state) {
  const LevelTable& table = state.table;
  Bounds bounds;
  const auto set = [&](Reason reason, std::optional<Bound> bound) {
    bounds[static_cast<std::size_t>(reason)] = bound;
  };
  set(Reason::kCpu, cpu_bound(table, state.limits, spec.goal.has_value()));
  set(Reason::kMemory, memory_bound(table, state.limits, state.kill, crowding_of(state)));
  set(Reason::kLatency, latency_bound(table, spec.goal));
  return bounds;
}

Duration evaluation_period(const SlowSpec& spec, const SlowState& state, TimePoint now) {
  if (is_learning(state, now)) return std::min(Duration(30s), spec.window);
  if (!state.suspect.empty()) return 1min;
  return spec.goal ? spec.window : Duration(5min);
}

Advice evaluate(const SlowSpec& spec, SlowState& state, const Interval& interval) {
  if (state.target <= 0) {
    state.target = spec.is_configured ? spec.configured : std::min(spec.configured, kFirstTarget);
  }
  if (state.at == TimePoint{}) state.since = state.at = interval.end;
  state.target = clamped(spec, state.target);
  Advice advice{.at = interval.end, .target = state.target, .before = state.target};
  const bool is_usable = !interval.is_rollout;
  const bool is_killed = interval.killed_at > 0 && !is_same_kill(state, interval);
  const Learned learned = is_usable ? learn(spec, state, interval) : Learned::kAsBefore;
  if (spec.goal && is_usable) record_misses(state, interval);
  meet_jumps(state, interval);
  advice.kept_load = kept_load(state.jumps, spec.share);
  state.at = interval.end;
  advice.learned_seconds = state.table.seconds();
  advice.bounds = bounds_of(spec, state);
  advice.reason = least(advice.bounds, state.table.reach(kLeastSeconds));
  advice.wanted = wanted_of(spec, state, advice);
  if (advice.reason) {
    advice.confidence = advice.bounds[static_cast<std::size_t>(*advice.reason)]->confidence;
  }
  // A fifth of the late requests that the goal allows, so that full replicas alone do not miss the
  // goal.
  if (spec.goal) advice.waiting_percentage = 100 * (1 - spec.goal->quantile) / 5;
  advice.container_concurrency = suggested_limit(advice);
  advice.best_possible = best_possible(spec, state, advice);
  if (is_killed) {
    const double safe = clamped(spec, std::min(state.target, interval.killed_at) / 2);
    advice.target = std::min(state.target, safe);
    advice.step = Step::kKilled;
  } else if (const auto held = holds(state, interval, advice)) {
    advice.step = learned == Learned::kAnew ? Step::kNewBehaviour : *held;
  } else {
    take_step(state, interval, advice);
  }
  state.target = advice.target;
  return advice;
}

void start_version(SlowState& state, std::string version) {
  const double target = state.target;
  JumpRecord jumps = std::move(state.jumps);  // those of the service, whose callers stay the same
  state = {};
  state.version = std::move(version);
  state.target = target;
  state.jumps = std::move(jumps);
}

namespace {

/// Returns the replicas for that load with the headroom of a steady one.
PodCount kept_replicas(const config::RevisionSettings& settings, double load) {
  const double total = settings.total_target();
  const double deviations = config::deviations_for(settings.rules.waiting_percentage / 100);
  const double room = deviations * std::sqrt(load);
  const double most = load * (total / settings.effective_target() - 1);
  const double replicas = std::ceil((load + std::min(room, most)) / total);
  return static_cast<PodCount>(std::clamp(replicas, 0.0, 1e6));
}

}  // namespace

config::RevisionSettings with_target(const config::RevisionSettings& settings,
                                     const Advice& advice) {
  config::RevisionSettings set = settings;
  set.target = advice.target;
  if (advice.waiting_percentage > 0) set.rules.waiting_percentage = advice.waiting_percentage;
  const PodCount kept = kept_replicas(set, advice.kept_load);
  const PodCount most = set.max_scale > 0 ? set.max_scale : kept;
  set.raise_min_scale(std::min(kept, most), config::MinScaleFrom::kSlowBrain);
  return set;
}

}  // namespace bellows::autoscaler::slow
