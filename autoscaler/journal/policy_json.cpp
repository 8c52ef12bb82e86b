#include "autoscaler/journal/policy_json.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "autoscaler/journal/field_json.hpp"
#include "json/seconds.hpp"

namespace bellows::autoscaler::journal {
namespace {

constexpr json::Range kPolicyAmounts{0, 1e18};

void write_consumption(json::Writer& line, std::string_view key,
                       const std::optional<Consumption>& used) {
  if (!used) return;
  line.open(key).number("usage", used->usage).number("requests", used->requests).close();
}

void write_answers(json::Writer& line, const std::vector<WebhookAnswer>& answers) {
  if (answers.empty()) return;
  line.open_list("webhooks");
  for (const WebhookAnswer& answer : answers) {
    line.open().text("url", answer.url);
    if (answer.replicas) {
      line.integer("replicas", *answer.replicas);
      line.number("age", json::seconds_number(answer.age));
    }
    if (!answer.failure.empty()) line.text("failure", answer.failure);
    line.close();
  }
  line.close();
}

Result<PodCount> count_or_zero(const json::Object& object, std::string_view key) {
  if (!object.has(key)) return 0;
  BELLOWS_TRY(const std::int64_t value, object.integer(key, 0, kMaxPods));
  return static_cast<PodCount>(value);
}

Result<Rooms> read_rooms(const json::Object& object) {
  Rooms rooms;
  if (!object.has("rooms")) return rooms;
  BELLOWS_TRY(const json::Object read, object.object("rooms"));
  BELLOWS_TRY(rooms.creating, count_or_zero(read, "creating"));
  BELLOWS_TRY(rooms.ready, count_or_zero(read, "ready"));
  BELLOWS_TRY(rooms.occupied, count_or_zero(read, "occupied"));
  BELLOWS_TRY(rooms.terminating, count_or_zero(read, "terminating"));
  return rooms;
}

Result<std::optional<Consumption>> read_consumption(const json::Object& object,
                                                    std::string_view key) {
  if (!object.has(key)) return std::nullopt;
  BELLOWS_TRY(const json::Object read, object.object(key));
  Consumption used;
  BELLOWS_TRY(used.usage, read.number("usage", kPolicyAmounts));
  BELLOWS_TRY(used.requests, read.number("requests", kPolicyAmounts));
  return used;
}

Result<std::optional<CounterSum>> read_counter(const json::Object& object) {
  if (!object.has("counter")) return std::nullopt;
  BELLOWS_TRY(const json::Object read, object.object("counter"));
  CounterSum sum;
  BELLOWS_TRY(sum.count, read.number("count", kPolicyAmounts));
  BELLOWS_TRY(sum.capacity, read.number("capacity", kPolicyAmounts));
  BELLOWS_TRY(sum.replicas, count_or_zero(read, "replicas"));
  BELLOWS_TRY(sum.sized, count_or_zero(read, "sized"));
  return sum;
}

Result<std::vector<WebhookAnswer>> read_answers(const json::Object& object) {
  std::vector<WebhookAnswer> answers;
  if (!object.has("webhooks")) return answers;
  BELLOWS_TRY(const std::vector<json::Object> list, object.objects("webhooks"));
  for (const json::Object& read : list) {
    WebhookAnswer answer;
    BELLOWS_TRY(answer.url, read.text("url"));
    if (read.has("replicas")) {
      BELLOWS_TRY(answer.replicas, count_or_zero(read, "replicas"));
      BELLOWS_TRY(answer.age, read.seconds("age"));
    }
    if (read.has("failure")) {
      BELLOWS_TRY(answer.failure, read.text("failure"));
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace

void write_policy_seen(json::Writer& line, const PolicySeen& seen) {
  line.open("policy").number("unix-seconds", json::seconds_number(seen.wall.time_since_epoch()));
  line.open("rooms").integer("creating", seen.rooms.creating).integer("ready", seen.rooms.ready);
  line.integer("occupied", seen.rooms.occupied).integer("terminating", seen.rooms.terminating);
  line.close().integer("kept", seen.kept);
  if (seen.unreported > 0) line.integer("unreported", seen.unreported);
  write_consumption(line, "cpu", seen.cpu);
  write_consumption(line, "mem", seen.memory);
  if (seen.counter) {
    line.open("counter").number("count", seen.counter->count);
    line.number("capacity", seen.counter->capacity).integer("replicas", seen.counter->replicas);
    line.integer("sized", seen.counter->sized).close();
  }
  write_answers(line, seen.answers);
  line.close();
}

Result<PolicySeen> read_policy_seen(const json::Object& line) {
  BELLOWS_TRY(const json::Object object, line.object("policy"));
  PolicySeen seen;
  if (object.has("unix-seconds")) {
    BELLOWS_TRY(const double wall, object.number("unix-seconds", {0, json::kMaxSeconds}));
    seen.wall = WallTime(json::exact_seconds(wall));
  }
  BELLOWS_TRY(seen.rooms, read_rooms(object));
  BELLOWS_TRY(seen.kept, count_or_zero(object, "kept"));
  BELLOWS_TRY(seen.unreported, count_or_zero(object, "unreported"));
  BELLOWS_TRY(seen.cpu, read_consumption(object, "cpu"));
  BELLOWS_TRY(seen.memory, read_consumption(object, "mem"));
  BELLOWS_TRY(seen.counter, read_counter(object));
  BELLOWS_TRY(seen.answers, read_answers(object));
  return seen;
}

void write_policy_memories(json::Writer& state, const PolicyMemories& memories, TimePoint at) {
  if (memories.empty()) return;
  state.open_list("policies");
  for (const PolicyMemories::Slot& slot : memories.slots()) {
    state.open().text("policy", slot.policy);
    if (slot.memory) {
      state.open("memory");
      slot.memory->write(state, at);
      state.close();
    } else if (!slot.unread.empty()) {
      state.raw("memory", slot.unread);
    }
    state.close();
  }
  state.close();
}

Result<PolicyMemories> read_policy_memories(const json::Object& state, TimePoint at) {
  PolicyMemories memories;
  if (!state.has("policies")) return memories;
  BELLOWS_TRY(const std::vector<json::Object> list, state.objects("policies"));
  for (const json::Object& object : list) {
    PolicyMemories::Slot slot;
    BELLOWS_TRY(slot.policy, object.text("policy"));
    if (object.has("memory")) {
      BELLOWS_TRY(slot.unread, object.raw("memory"));
    }
    slot.unread_at = at;
    memories.slots().push_back(std::move(slot));
  }
  return memories;
}

}  // namespace bellows::autoscaler::journal
