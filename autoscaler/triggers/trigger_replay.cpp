#include "autoscaler/triggers/trigger_replay.hpp"

#include "json/writer.hpp"

namespace bellows::autoscaler::triggers {
namespace {

constexpr json::Range kAmounts{0, 1e18};

Result<PodCount> count(const json::Object& rooms, std::string_view key) {
  if (!rooms.has(key)) return 0;
  BELLOWS_TRY(const std::int64_t value, rooms.integer(key, 0, kMaxPods));
  return static_cast<PodCount>(value);
}

Result<Rooms> read_rooms(const json::Object& line) {
  BELLOWS_TRY(const json::Object object, line.object("rooms"));
  Rooms rooms;
  BELLOWS_TRY(rooms.creating, count(object, "creating"));
  BELLOWS_TRY(rooms.ready, count(object, "ready"));
  BELLOWS_TRY(rooms.occupied, count(object, "occupied"));
  BELLOWS_TRY(rooms.terminating, count(object, "terminating"));
  return rooms;
}

Result<std::optional<Consumption>> read_consumption(const json::Object& line,
                                                    std::string_view key) {
  if (!line.has(key) || line.is_null(key)) return std::nullopt;
  BELLOWS_TRY(const json::Object object, line.object(key));
  Consumption used;
  BELLOWS_TRY(used.usage, object.number("usage", kAmounts));
  BELLOWS_TRY(used.requests, object.number("requests", kAmounts));
  return used;
}

Result<std::optional<State>> read_state(const json::Object& line) {
  if (!line.has("state")) return std::nullopt;
  BELLOWS_TRY(const std::string name, line.text("state"));
  if (const auto state = state_named(name)) return state;
  return fail(
      line.invalid("state", "creating, in-sync, subdimensioned, overdimensioned or terminating"));
}

}  // namespace

Result<void> TriggerReplay::take(const json::Object& line, std::string& out) {
  if (line.has("config")) return configure(line);
  if (config_) return tick(line, out);
  return fail(line.invalid("config", "a line {\"config\":{...}} first"));
}

Result<void> TriggerReplay::configure(const json::Object& line) {
  BELLOWS_TRY(const json::Object object, line.object("config"));
  BELLOWS_TRY(Config config, read_config(object));
  config_ = std::move(config);
  fit(memory_, *config_);
  return {};
}

Result<void> TriggerReplay::tick(const json::Object& line, std::string& out) {
  BELLOWS_TRY(const replay::Instant at, clock_.advance(line));
  Tick tick;
  tick.at = at.time;
  BELLOWS_TRY(tick.rooms, read_rooms(line));
  BELLOWS_TRY(tick.cpu, read_consumption(line, "cpu"));
  BELLOWS_TRY(tick.memory, read_consumption(line, "mem"));
  BELLOWS_TRY(tick.state, read_state(line));
  const Outcome outcome = decide(*config_, memory_, tick);
  json::Writer answer;
  answer.number("at", at.seconds).integer("delta", outcome.delta);
  answer.integer("applied", outcome.applied).text("trigger", trigger_name(*config_, outcome));
  answer.text("state", to_string(outcome.state)).text("reason", reason(*config_, tick, outcome));
  out += answer.end_line();
  remember(memory_, *config_, tick, outcome);
  return {};
}

std::string trigger_replay_help() {
  return R"(Repeats the decisions of lists of triggers. Reads FILE, or standard input without one or as -.

  bellows replay triggers rooms.jsonl

  {"config":{"min":2,"max":20,"period":"10s","up":{...},"down":{...}}}          Maestro's keys, as JSON
  {"at":10,"rooms":{"creating":0,"ready":1,"occupied":4,"terminating":0},"cpu":{"usage":2.5,"requests":5}}
                                                                                a tick: decides

Optional in a tick: cpu (cores), mem (bytes), both {"usage":..,"requests":..}; state, as recorded elsewhere.
)";
}

}  // namespace bellows::autoscaler::triggers
