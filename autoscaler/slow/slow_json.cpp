#include "autoscaler/slow/slow_json.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "json/seconds.hpp"

namespace bellows::autoscaler::slow {
namespace {

constexpr json::Range kSum{0, 1e18};
constexpr json::Range kAmount{0, 1e12};
constexpr json::Range kAge{0, json::kMaxSeconds};

/// The sums of a level in the order of the file. A new one is appended.
constexpr std::array<double LevelSum::*, 8> kSums = {
    &LevelSum::seconds, &LevelSum::in_flight,   &LevelSum::completed, &LevelSum::errors,
    &LevelSum::cpu,     &LevelSum::cpu_seconds, &LevelSum::memory,    &LevelSum::memory_seconds};

void write_table(json::Writer& out, std::string_view key, const LevelTable& table) {
  out.open_list(key);
  for (const LevelSum& sum : table.levels()) {
    out.open().integer("level", sum.level).open_list("sums");
    for (const auto member : kSums) out.number(sum.*member);
    out.close();
    if (!sum.times.counts().empty()) {
      out.integer("first", sum.times.first()).open_list("times");
      for (const float count : sum.times.counts()) out.number(double{count});
      out.close();
    }
    out.close();
  }
  out.close();
}

Result<void> read_times(const json::Object& level, TimesSum& times) {
  if (!level.has("times")) return {};
  constexpr auto kLast = static_cast<std::int64_t>(metrics::kServiceTimeBuckets) - 1;
  BELLOWS_TRY(const std::int64_t first, level.integer("first", 0, kLast));
  BELLOWS_TRY(const json::List counts, level.list("times"));
  if (first + static_cast<std::int64_t>(counts.size()) > kLast + 1) {
    return fail(level.invalid("times", "no time beyond bucket 191"));
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    BELLOWS_TRY(const double count, counts.number(i, kSum));
    times.add(static_cast<std::size_t>(first) + i, static_cast<float>(count));
  }
  return {};
}

Result<LevelTable> read_table(const json::Object& object, std::string_view key) {
  LevelTable table;
  BELLOWS_TRY(const std::vector<json::Object> levels, object.objects(key));
  for (const json::Object& level : levels) {
    BELLOWS_TRY(const std::int64_t index, level.integer("level", 0, kLevels - 1));
    BELLOWS_TRY(const json::List sums, level.list("sums"));
    if (sums.size() != kSums.size()) return fail(level.invalid("sums", "a list of 8 numbers"));
    LevelSum& sum = table.at(static_cast<std::size_t>(index));
    for (std::size_t i = 0; i < kSums.size(); ++i) {
      BELLOWS_TRY(sum.*kSums[i], sums.number(i, kSum));
    }
    if (sum.seconds <= 0) return fail(level.invalid("sums", "seconds above 0 first"));
    BELLOWS_CHECKED(read_times(level, sum.times));
  }
  return table;
}

void write_limits(json::Writer& out, const ReplicaLimits& limits) {
  out.number("cpu-limit", limits.cpu).number("memory-limit", limits.memory);
}

Result<ReplicaLimits> read_limits(const json::Object& object) {
  ReplicaLimits limits;
  BELLOWS_TRY(limits.cpu, object.number("cpu-limit", kAmount));
  BELLOWS_TRY(limits.memory, object.number("memory-limit", kAmount));
  return limits;
}

void write_jumps(json::Writer& out, const std::vector<Jump>& jumps, TimePoint now) {
  out.open_list("jumps");
  for (const Jump& jump : jumps) {
    out.open().number("age", json::seconds_number(now - jump.at));
    out.number("load", jump.load).number("missed", jump.missed).close();
  }
  out.close();
}

Result<std::vector<Jump>> read_jumps(const json::Object& parent, TimePoint now) {
  std::vector<Jump> jumps;
  BELLOWS_TRY(const std::vector<json::Object> list, parent.objects("jumps"));
  for (const json::Object& item : list) {
    Jump jump;
    BELLOWS_TRY(const double age, item.number("age", {-json::kMaxSeconds, json::kMaxSeconds}));
    jump.at = now - json::exact_seconds(age);
    BELLOWS_TRY(jump.load, item.number("load", kAmount));
    BELLOWS_TRY(jump.missed, item.number("missed", kSum));
    jumps.push_back(jump);
  }
  return jumps;
}

void write_jump_record(json::Writer& out, const JumpRecord& record, TimePoint now) {
  out.open("jumped").flag("kept", record.is_kept);
  write_jumps(out, record.jumps, now);
  out.close();
}

Result<JumpRecord> read_jump_record(const json::Object& state, TimePoint now) {
  JumpRecord record;
  BELLOWS_TRY(const json::Object object, state.object("jumped"));
  BELLOWS_TRY(record.is_kept, object.flag("kept"));
  BELLOWS_TRY(record.jumps, read_jumps(object, now));
  return record;
}

void write_fleet(json::Writer& out, const FleetSums& sums, TimePoint now) {
  out.open("fleet").number("seconds", sums.seconds).number("missed", sums.missed);
  out.number("missed-by-jumps", sums.missed_by_jumps).number("crowding", sums.crowding);
  write_jumps(out, sums.jumps, now);
  out.close();
}

Result<FleetSums> read_fleet(const json::Object& parent, TimePoint now) {
  FleetSums sums;
  BELLOWS_TRY(const json::Object object, parent.object("fleet"));
  BELLOWS_TRY(sums.seconds, object.number("seconds", kSum));
  BELLOWS_TRY(sums.missed, object.number("missed", kSum));
  BELLOWS_TRY(sums.crowding, object.number("crowding", kAmount));
  BELLOWS_TRY(sums.missed_by_jumps, object.number("missed-by-jumps", kSum));
  BELLOWS_TRY(sums.jumps, read_jumps(object, now));
  return sums;
}

void write_goal(json::Writer& out, const GoalRecord& goal) {
  out.open("goal").number("age", goal.age).number("factor", goal.factor);
  out.number("owed", goal.owed).close();
}

Result<GoalRecord> read_goal(const json::Object& parent) {
  GoalRecord goal;
  BELLOWS_TRY(const json::Object object, parent.object("goal"));
  BELLOWS_TRY(goal.age, object.number("age", kSum));
  BELLOWS_TRY(goal.factor, object.number("factor", {0.1, 4}));
  BELLOWS_TRY(goal.owed, object.number("owed", kSum));
  return goal;
}

}  // namespace

void write_state(json::Writer& out, std::string_view key, const SlowState& state, TimePoint now) {
  out.open(key).text("version", state.version).number("target", state.target);
  out.number("age", json::seconds_number(now - state.at));
  out.number("learned-for", json::seconds_number(state.at - state.since));
  out.number("killed-at", state.kill.level).number("kill-weight", state.kill.weight);
  out.number("kill-age", json::seconds_number(now - state.kill.at));
  out.number("crowding", state.crowding);
  write_goal(out, state.goal);
  write_jump_record(out, state.jumps, now);
  out.number("ceiling", state.ceiling);
  write_limits(out, state.limits);
  write_table(out, "table", state.table);
  write_table(out, "suspect", state.suspect);
  out.close();
}

Result<SlowState> read_state(const json::Object& object, TimePoint now) {
  SlowState state;
  BELLOWS_TRY(state.version, object.text("version"));
  BELLOWS_TRY(state.target, object.number("target", kAmount));
  BELLOWS_TRY(const double age, object.number("age", kAge));
  BELLOWS_TRY(const double learned, object.number("learned-for", kAge));
  state.at = now - json::exact_seconds(age);
  state.since = state.at - json::exact_seconds(learned);
  BELLOWS_TRY(state.kill.level, object.number("killed-at", kAmount));
  BELLOWS_TRY(state.kill.weight, object.number("kill-weight", {0, 1}));
  BELLOWS_TRY(const double kill_age,
              object.number("kill-age", {-json::kMaxSeconds, json::kMaxSeconds}));
  state.kill.at = now - json::exact_seconds(kill_age);
  BELLOWS_TRY(state.crowding, object.number("crowding", kAmount));
  BELLOWS_TRY(state.goal, read_goal(object));
  BELLOWS_TRY(state.jumps, read_jump_record(object, now));
  BELLOWS_TRY(state.ceiling, object.number("ceiling", kAmount));
  BELLOWS_TRY(state.limits, read_limits(object));
  BELLOWS_TRY(state.table, read_table(object, "table"));
  BELLOWS_TRY(state.suspect, read_table(object, "suspect"));
  return state;
}

void write_spec(json::Writer& out, std::string_view key, const SlowSpec& spec) {
  out.open(key);
  if (spec.goal) out.text("latency-goal", config::to_string(*spec.goal));
  out.number("latency-window", json::seconds_number(spec.window));
  out.number("target-min", spec.min).number("target-max", spec.max);
  out.number("configured", spec.configured).flag("is-configured", spec.is_configured);
  out.flag("is-used", spec.is_used);
  if (spec.share != 1) out.number("share", spec.share);
  out.integer("container-concurrency", spec.hard_limit).close();
}

Result<SlowSpec> read_spec(const json::Object& object) {
  SlowSpec spec;
  if (object.has("latency-goal")) {
    BELLOWS_TRY(const std::string text, object.text("latency-goal"));
    const auto goal = config::parse_latency_goal(text);
    if (!goal) return fail(object.invalid("latency-goal", "one as in p95 < 200ms"));
    spec.goal = *goal;
  }
  BELLOWS_TRY(const double window, object.number("latency-window", {2, 600}));
  spec.window = json::exact_seconds(window);
  BELLOWS_TRY(spec.min, object.number("target-min", {0.01, 1e6}));
  BELLOWS_TRY(spec.max, object.number("target-max", {spec.min, 1e6}));
  BELLOWS_TRY(spec.configured, object.number("configured", {0.01, 1e6}));
  BELLOWS_TRY(spec.is_configured, object.flag("is-configured"));
  BELLOWS_TRY(spec.is_used, object.flag("is-used"));
  if (object.has("share")) {  // a journal of an earlier version lacks it
    BELLOWS_TRY(spec.share, object.number("share", {0, 1}));
  }
  BELLOWS_TRY(const std::int64_t limit, object.integer("container-concurrency", 0, 1'000'000));
  spec.hard_limit = static_cast<std::int32_t>(limit);
  return spec;
}

void write_interval(json::Writer& out, std::string_view key, const Interval& interval) {
  out.open(key).number("length", json::seconds_number(interval.end - interval.begin));
  out.number("killed-at", interval.killed_at);
  write_fleet(out, interval.fleet, interval.end);
  out.flag("rollout", interval.is_rollout);
  write_limits(out, interval.limits);
  write_table(out, "table", interval.table);
  out.close();
}

Result<Interval> read_interval(const json::Object& object, TimePoint end) {
  Interval interval;
  BELLOWS_TRY(const double length, object.number("length", kAge));
  interval.end = end;
  interval.begin = end - json::exact_seconds(length);
  BELLOWS_TRY(interval.killed_at, object.number("killed-at", kAmount));
  BELLOWS_TRY(interval.fleet, read_fleet(object, end));
  BELLOWS_TRY(interval.is_rollout, object.flag("rollout"));
  BELLOWS_TRY(interval.limits, read_limits(object));
  BELLOWS_TRY(interval.table, read_table(object, "table"));
  return interval;
}

void write_advice(json::Writer& out, const Advice& advice) {
  out.number("target", advice.target).number("before", advice.before);
  out.number("wanted", advice.wanted).text("step", to_string(advice.step));
  if (advice.reason) out.text("binds", to_string(*advice.reason));
  out.number("confidence", advice.confidence).open("bounds");
  for (std::size_t i = 0; i < kReasons; ++i) {
    if (!advice.bounds[i]) continue;
    const Bound& bound = *advice.bounds[i];
    out.open(to_string(static_cast<Reason>(i))).number("level", bound.level);
    out.number("confidence", bound.confidence).flag("seen", bound.is_seen).close();
  }
  out.close().number("waiting-percentage", advice.waiting_percentage);
  if (advice.container_concurrency) {
    out.integer("container-concurrency", *advice.container_concurrency);
  }
  if (advice.kept_load > 0) out.number("kept-load", advice.kept_load);
  if (advice.best_possible) out.number("best-possible", *advice.best_possible);
  out.number("learned-seconds", advice.learned_seconds);
}

}  // namespace bellows::autoscaler::slow
