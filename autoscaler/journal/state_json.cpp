#include "autoscaler/journal/state_json.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "autoscaler/journal/field_json.hpp"
#include "json/seconds.hpp"

namespace bellows::autoscaler::journal {
namespace {

// fields.hpp cannot decompose a derived struct, so this assertion detects a new field.
static_assert(sizeof(DeciderState) ==
                  sizeof(Memory) + sizeof(DelayWindow) + sizeof(IdleTimes) + sizeof(PolicyMemories),
              "DeciderState has a new field: write and read it here, else a replay forgets it");

constexpr std::int64_t kMaxSlots = 1'000'000'000;

/// Writes the delay window, which moves in slots. Its ages are in slots: `slots-ago` is exact.
void write_delay(json::Writer& line, const DelayWindow& delay, TimePoint at) {
  const std::vector<DelayWindow::Entry> entries = delay.entries();
  if (entries.empty()) return;
  line.open_list("delay");
  for (const auto& [slot, pods] : entries) {
    line.open().integer("slots-ago", DelayWindow::slot_of(at) - slot).integer("pods", pods);
    line.close();
  }
  line.close();
}

Result<void> read_delay(const json::Object& state, TimePoint at, DelayWindow& delay) {
  if (!state.has("delay")) return {};
  BELLOWS_TRY(const std::vector<json::Object> list, state.objects("delay"));
  std::vector<DelayWindow::Entry> entries;
  for (const json::Object& object : list) {
    BELLOWS_TRY(const std::int64_t ago, object.integer("slots-ago", 0, kMaxSlots));
    BELLOWS_TRY(const std::int64_t pods, object.integer("pods", 0, kMaxReplicas));
    const DelayWindow::Entry entry{DelayWindow::slot_of(at) - static_cast<std::int32_t>(ago),
                                   static_cast<PodCount>(pods)};
    const bool is_in_order =
        entries.empty() || (entries.back().slot < entry.slot && entries.back().pods > entry.pods);
    if (!is_in_order) return fail(object.invalid("slots-ago", "less, and fewer pods, each time"));
    entries.push_back(entry);
  }
  delay.restore(std::move(entries));
  return {};
}

void write_idle_times(json::Writer& line, const IdleTimes& idle_times, TimePoint at) {
  if (!idle_times.has_seen_request()) return;
  line.open("calls").number("begun-age", json::seconds_number(at - idle_times.busy_since()));
  line.open_list("gaps");
  for (const auto& [idle_time, period] : idle_times.oldest_first()) {
    line.open().number("gap", idle_time).number("period", period);
    line.close();
  }
  line.close();
  line.close();
}

Result<void> read_idle_times(const json::Object& state, TimePoint at, IdleTimes& idle_times) {
  constexpr json::Range kSpans{0, json::kMaxSeconds};
  if (!state.has("calls")) return {};
  BELLOWS_TRY(const json::Object calls, state.object("calls"));
  BELLOWS_TRY(const double age, calls.number("begun-age", kSpans));
  BELLOWS_TRY(const std::vector<json::Object> list, calls.objects("gaps"));
  std::vector<IdleTimes::Known> known;
  for (const json::Object& object : list) {
    BELLOWS_TRY(const double idle_time, object.number("gap", kSpans));
    BELLOWS_TRY(const double period, object.number("period", kSpans));
    known.push_back({static_cast<float>(idle_time), static_cast<float>(period)});
  }
  idle_times.restore(known, at - json::exact_seconds(age));
  return {};
}

/// Writes nothing if there are no policies.
void write_policies(json::Writer& state, const PolicyMemories& memories, TimePoint at) {
  if (memories.empty()) return;
  state.open_list("policies");
  for (const PolicySlot& slot : memories) {
    state.open().text("policy", slot.policy);
    if (!slot.memory.empty()) {
      state.open("memory");
      slot.memory.write(state, at);
      state.close();
    }
    state.close();
  }
  state.close();
}

Result<PolicyMemories> read_policies(const json::Object& state, TimePoint at) {
  PolicyMemories memories;
  if (!state.has("policies")) return memories;
  BELLOWS_TRY(const std::vector<json::Object> list, state.objects("policies"));
  for (const json::Object& object : list) {
    PolicySlot& slot = memories.emplace_back();
    BELLOWS_TRY(slot.policy, object.text("policy"));
    if (!object.has("memory")) continue;
    BELLOWS_TRY(const json::Object memory, object.object("memory"));
    BELLOWS_CHECKED(slot.memory.read(memory, at));
  }
  return memories;
}

/// Moves every instant that fields.hpp visits.
class Mover {
 public:
  explicit Mover(Duration by) : by_(by) {}

  void operator()(std::string_view, TimePoint& instant) { instant += by_; }
  template <class T>
  void operator()(std::string_view key, std::optional<T>& field) {
    if (field) (*this)(key, *field);
  }
  template <class T>
  void operator()(std::string_view, T& field) {
    if constexpr (requires { for_each_field(field, *this); }) for_each_field(field, *this);
  }

 private:
  Duration by_;
};

void move_delay(DelayWindow& delay, Duration by) {
  std::vector<DelayWindow::Entry> entries = delay.entries();
  for (DelayWindow::Entry& entry : entries) {
    entry.slot = DelayWindow::slot_of(TimePoint(entry.slot * kEvaluationPeriod) + by);
  }
  delay.restore(std::move(entries));
}

}  // namespace

void write_state(json::Writer& line, std::string_view key, const DeciderState& state,
                 TimePoint at) {
  line.open(key);
  FieldWriter writer(line, at);
  for_each_field(static_cast<const Memory&>(state), writer);
  write_delay(line, state.delay, at);
  write_idle_times(line, state.idle_times, at);
  write_policies(line, state.policies, at);
  line.close();
}

Result<DeciderState> read_state(const json::Object& object, TimePoint at) {
  DeciderState state;
  state.last_load = at;
  state.activity.since = at;
  FieldReader reader(object, at);
  for_each_field(static_cast<Memory&>(state), reader);
  BELLOWS_CHECKED(reader.result());
  BELLOWS_CHECKED(read_delay(object, at, state.delay));
  BELLOWS_CHECKED(read_idle_times(object, at, state.idle_times));
  BELLOWS_TRY(state.policies, read_policies(object, at));
  return state;
}

void write_policy_changes(json::Writer& line, const PolicyMemories& memories, TimePoint at) {
  line.open_list("policies");
  for (const PolicySlot& slot : memories) {
    if (slot.memory.changed != at) continue;
    line.open().text("policy", slot.policy).open("memory");
    slot.memory.write_change(line, at);
    line.close().close();
  }
  line.close();
}

Result<void> read_policy_changes(const json::Object& line, TimePoint at, PolicyMemories& memories) {
  BELLOWS_TRY(const std::vector<json::Object> list, line.objects("policies"));
  std::vector<std::pair<PolicyMemory*, json::Object>> changes;
  for (const json::Object& entry : list) {
    BELLOWS_TRY(const std::string policy, entry.text("policy"));
    const auto slot = std::ranges::find(memories, policy, &PolicySlot::policy);
    if (slot == memories.end()) {
      return fail(entry.invalid("policy", "one with a whole state in an earlier line"));
    }
    BELLOWS_TRY(json::Object memory, entry.object("memory"));
    BELLOWS_CHECKED(PolicyMemory().read(memory, at));
    changes.emplace_back(&slot->memory, std::move(memory));
  }
  for (const auto& [known, memory] : changes) BELLOWS_CHECKED(known->read(memory, at));
  return {};
}

DeciderState moved(const DeciderState& state, Duration by) {
  DeciderState there = state;
  Mover mover(by);
  for_each_field(static_cast<Memory&>(there), mover);
  move_delay(there.delay, by);
  for (PolicySlot& slot : there.policies) slot.memory.move(by);
  if (there.idle_times.has_seen_request()) {
    there.idle_times.restore(there.idle_times.oldest_first(), there.idle_times.busy_since() + by);
  }
  return there;
}

}  // namespace bellows::autoscaler::journal
