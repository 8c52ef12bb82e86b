#include "autoscaler/service/first_state_format.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace bellows::autoscaler {
namespace {

using json::Object;

constexpr std::int64_t kMaxReplicas = 1'000'000;
constexpr std::int64_t kMaxPercent = 1'000'000;
constexpr std::int64_t kMaxAgeMs = 10LL * 365 * 24 * 3600 * 1000;

Result<Duration> age(const Object& object, std::string_view key) {
  BELLOWS_TRY(const std::int64_t ms, object.integer(key, 0, kMaxAgeMs));
  return Duration(std::chrono::milliseconds(ms));
}

Result<PodCount> pods(const Object& object, std::string_view key) {
  BELLOWS_TRY(const std::int64_t count, object.integer(key, 0, kMaxReplicas));
  return static_cast<PodCount>(count);
}

Result<void> read_panic(const Object& revision, TimePoint at, Memory& memory) {
  if (!revision.has("panic")) return {};
  BELLOWS_TRY(const Object panic, revision.object("panic"));
  BELLOWS_TRY(const Duration since, age(panic, "since_age_ms"));
  BELLOWS_TRY(const Duration last_over, age(panic, "last_over_age_ms"));
  BELLOWS_TRY(memory.panic_max, pods(panic, "most"));
  memory.panic = Panic{.since = at - since, .last_over = at - last_over};
  return {};
}

Result<void> read_activity(const Object& revision, TimePoint at, Activity& activity) {
  if (!revision.has("activity")) return {};
  BELLOWS_TRY(const Object object, revision.object("activity"));
  BELLOWS_TRY(const Duration since, age(object, "since_age_ms"));
  const Result<std::string> word = object.text("state");
  for (const Serving state : {Serving::kInactive, Serving::kActivating, Serving::kActive}) {
    if (!word || *word != to_string(state)) continue;
    activity = {state, at - since};
    return {};
  }
  return fail(object.invalid("state", "one of inactive, activating, active"));
}

Result<void> read_delay(const Object& revision, TimePoint at, DelayWindow& delay) {
  if (!revision.has("delay")) return {};
  BELLOWS_TRY(const std::vector<Object> list, revision.objects("delay"));
  std::vector<DelayWindow::Entry> entries;
  for (const Object& entry : list) {
    BELLOWS_TRY(const Duration ago, age(entry, "age_ms"));
    BELLOWS_TRY(const PodCount count, pods(entry, "pods"));
    entries.push_back({DelayWindow::slot_of(at - ago), count});
  }
  delay.restore(std::move(entries));
  return {};
}

Result<void> read_calls(const Object& revision, TimePoint at, Gaps& gaps) {
  if (!revision.has("calls")) return {};
  BELLOWS_TRY(const Object calls, revision.object("calls"));
  BELLOWS_TRY(const Duration begun, age(calls, "begun_age_ms"));
  BELLOWS_TRY(const std::vector<Object> list, calls.objects("gaps"));
  std::vector<Gaps::Known> known;
  for (const Object& entry : list) {
    BELLOWS_TRY(const Duration gap, age(entry, "gap_ms"));
    BELLOWS_TRY(const Duration period, age(entry, "period_ms"));
    known.push_back({static_cast<float>(to_seconds(gap)), static_cast<float>(to_seconds(period))});
  }
  gaps.restore(known, at - begun);
  return {};
}

Result<void> read_numbers(const Object& revision, TimePoint at, Memory& memory) {
  BELLOWS_TRY(memory.want, pods(revision, "want"));
  if (revision.has("idle_age_ms")) {
    BELLOWS_TRY(const Duration idle, age(revision, "idle_age_ms"));
    memory.last_load = at - idle;
  }
  if (revision.has("known_ms")) {
    BELLOWS_TRY(const Duration known, age(revision, "known_ms"));
    memory.known_back_to = at - known;
  }
  if (revision.has("burstiness_percent")) {
    BELLOWS_TRY(const std::int64_t percent, revision.integer("burstiness_percent", 0, kMaxPercent));
    memory.burstiness.index = std::max(1.0F, static_cast<float>(percent) / 100);
  }
  if (revision.has("initialised")) {
    BELLOWS_TRY(memory.is_initialised, revision.flag("initialised"));
  }
  return {};
}

}  // namespace

Result<DeciderState> read_first_format(const Object& revision, TimePoint at) {
  DeciderState state;
  state.last_load = at;
  state.activity.since = at;
  BELLOWS_CHECKED(read_numbers(revision, at, state));
  BELLOWS_CHECKED(read_panic(revision, at, state));
  BELLOWS_CHECKED(read_activity(revision, at, state.activity));
  BELLOWS_CHECKED(read_delay(revision, at, state.delay));
  BELLOWS_CHECKED(read_calls(revision, at, state.gaps));
  return state;
}

}  // namespace bellows::autoscaler
