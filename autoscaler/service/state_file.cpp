#include "autoscaler/service/state_file.hpp"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <utility>

namespace bellows::autoscaler {
namespace {

namespace json = boost::json;

constexpr std::int64_t kVersion = 1;
constexpr std::int64_t kMostReplicas = 1'000'000;
constexpr std::int64_t kMostBurstiness = 1'000'000;
constexpr std::int64_t kMostAgeMs = 10LL * 365 * 24 * 3600 * 1000;

/// Reads members of one object; errors carry the object's place in the file.
class Members {
 public:
  Members(const json::object& object, std::string place)
      : object_(object), place_(std::move(place)) {}

  Result<std::int64_t> whole(std::string_view key, std::int64_t most) const {
    const json::value* value = object_.if_contains(key);
    const std::int64_t* number = value == nullptr ? nullptr : value->if_int64();
    if (number != nullptr && *number >= 0 && *number <= most) return *number;
    return wrong(key, value, "a whole number from 0 to " + std::to_string(most));
  }

  Result<Duration> age(std::string_view key) const {
    BELLOWS_TRY(const std::int64_t ms, whole(key, kMostAgeMs));
    return Duration(std::chrono::milliseconds(ms));
  }

  Result<std::optional<Duration>> age_if_any(std::string_view key) const {
    if (!object_.contains(key)) return std::optional<Duration>();
    BELLOWS_TRY(const Duration span, age(key));
    return std::optional<Duration>(span);
  }

  tl::unexpected<Error> wrong(std::string_view key, const json::value* value,
                              const std::string& want) const {
    const std::string got = value == nullptr ? "missing" : json::serialize(*value).substr(0, 60);
    return fail(ErrorKind::kMalformed, place_ + std::string(key), got + ", want " + want);
  }

  const json::object& object() const { return object_; }
  std::string place(std::string_view key) const { return place_ + std::string(key) + "."; }

 private:
  const json::object& object_;
  std::string place_;
};

Result<std::optional<SavedState::SavedPanic>> parse_panic(const Members& revision) {
  const json::value* value = revision.object().if_contains("panic");
  if (value == nullptr) return std::optional<SavedState::SavedPanic>();
  if (!value->is_object()) return revision.wrong("panic", value, "an object");
  const Members panic(value->get_object(), revision.place("panic"));
  BELLOWS_TRY(const Duration since, panic.age("since_age_ms"));
  BELLOWS_TRY(const Duration last_over, panic.age("last_over_age_ms"));
  BELLOWS_TRY(const std::int64_t most, panic.whole("most", kMostReplicas));
  return SavedState::SavedPanic{since, last_over, static_cast<PodCount>(most)};
}

constexpr std::array<std::string_view, 3> kActivities = {"inactive", "activating", "active"};

json::string word_of(Serving state) {
  const std::string_view word = kActivities.at(static_cast<std::size_t>(state));
  return json::string(word.data(), word.size());
}

Result<SavedState::SavedActivity> parse_activity(const Members& revision) {
  const json::value* value = revision.object().if_contains("activity");
  if (value == nullptr) return SavedState::SavedActivity();
  if (!value->is_object()) return revision.wrong("activity", value, "an object");
  const Members activity(value->get_object(), revision.place("activity"));
  BELLOWS_TRY(const Duration since, activity.age("since_age_ms"));
  const json::value* state = activity.object().if_contains("state");
  const json::string* word = state == nullptr ? nullptr : state->if_string();
  for (std::size_t i = 0; i < kActivities.size(); ++i) {
    if (word != nullptr && std::string_view(*word) == kActivities[i]) {
      return SavedState::SavedActivity{static_cast<Serving>(i), since};
    }
  }
  return activity.wrong("state", state, "inactive, activating or active");
}

Result<std::vector<SavedState::SavedDelay>> parse_delay(const Members& revision) {
  std::vector<SavedState::SavedDelay> delay;
  const json::value* list = revision.object().if_contains("delay");
  if (list == nullptr) return delay;
  if (!list->is_array()) return revision.wrong("delay", list, "a list");
  for (const json::value& value : list->get_array()) {
    if (!value.is_object()) return revision.wrong("delay", &value, "a list of objects");
    const Members entry(value.get_object(), revision.place("delay"));
    BELLOWS_TRY(const Duration age, entry.age("age_ms"));
    BELLOWS_TRY(const std::int64_t pods, entry.whole("pods", kMostReplicas));
    delay.push_back({age, static_cast<PodCount>(pods)});
  }
  return delay;
}

Result<std::optional<SavedState::SavedGaps>> parse_gaps(const Members& revision) {
  const json::value* value = revision.object().if_contains("calls");
  if (value == nullptr) return std::optional<SavedState::SavedGaps>();
  if (!value->is_object()) return revision.wrong("calls", value, "an object");
  const Members calls(value->get_object(), revision.place("calls"));
  SavedState::SavedGaps gaps;
  BELLOWS_TRY(gaps.begun, calls.age("begun_age_ms"));
  const json::value* list = calls.object().if_contains("gaps");
  if (list == nullptr || !list->is_array()) return calls.wrong("gaps", list, "a list");
  for (const json::value& entry : list->get_array()) {
    if (!entry.is_object()) return calls.wrong("gaps", &entry, "a list of objects");
    const Members gap(entry.get_object(), calls.place("gaps"));
    BELLOWS_TRY(const Duration span, gap.age("gap_ms"));
    BELLOWS_TRY(const Duration period, gap.age("period_ms"));
    gaps.known.push_back({span, period});
  }
  return std::optional(std::move(gaps));
}

Result<std::int32_t> parse_burstiness(const Members& revision) {
  if (!revision.object().contains("burstiness_percent")) return 100;
  BELLOWS_TRY(const std::int64_t percent, revision.whole("burstiness_percent", kMostBurstiness));
  return static_cast<std::int32_t>(percent);
}

Result<SavedState> parse_state(const Members& revision) {
  SavedState state;
  BELLOWS_TRY(const std::int64_t want, revision.whole("want", kMostReplicas));
  state.want = static_cast<PodCount>(want);
  BELLOWS_TRY(state.panic, parse_panic(revision));
  BELLOWS_TRY(state.activity, parse_activity(revision));
  BELLOWS_TRY(const auto idle, revision.age_if_any("idle_age_ms"));
  state.idle = idle.value_or(Duration::zero());
  BELLOWS_TRY(state.known, revision.age_if_any("known_ms"));
  BELLOWS_TRY(state.delay, parse_delay(revision));
  BELLOWS_TRY(state.gaps, parse_gaps(revision));
  BELLOWS_TRY(state.burstiness_percent, parse_burstiness(revision));
  const json::value* initialised = revision.object().if_contains("initialised");
  state.is_initialised = initialised != nullptr && *initialised == json::value(true);
  return state;
}

Result<void> parse_revisions(const Members& root, SavedStates& states) {
  const json::value* list = root.object().if_contains("revisions");
  if (list == nullptr || !list->is_array()) return root.wrong("revisions", list, "a list");
  std::size_t index = 0;
  for (const json::value& value : list->get_array()) {
    const std::string place = "revisions[" + std::to_string(index++) + "]";
    if (!value.is_object()) return root.wrong(place, &value, "an object");
    const Members revision(value.get_object(), place + ".");
    const json::value* name = revision.object().if_contains("name");
    if (name == nullptr || !name->is_string() || name->get_string().empty()) {
      return revision.wrong("name", name, "the name of a revision");
    }
    BELLOWS_TRY(SavedState state, parse_state(revision));
    states.revisions.emplace(RevisionId(std::string(name->get_string())), std::move(state));
  }
  return {};
}

json::array delay_json(const std::vector<SavedState::SavedDelay>& delay) {
  json::array list;
  for (const auto& [age, pods] : delay) {
    list.push_back({{"age_ms", to_milliseconds(age)}, {"pods", pods}});
  }
  return list;
}

json::object gaps_json(const SavedState::SavedGaps& gaps) {
  json::array list;
  for (const auto& [gap, period] : gaps.known) {
    list.push_back({{"gap_ms", to_milliseconds(gap)}, {"period_ms", to_milliseconds(period)}});
  }
  return {{"begun_age_ms", to_milliseconds(gaps.begun)}, {"gaps", std::move(list)}};
}

json::object revision_json(const RevisionId& id, const SavedState& state) {
  json::object object{{"name", id.text()}, {"want", state.want}};
  if (state.panic) {
    object["panic"] = {{"since_age_ms", to_milliseconds(state.panic->since)},
                       {"last_over_age_ms", to_milliseconds(state.panic->last_over)},
                       {"most", state.panic->most}};
  }
  object["activity"] = {{"state", word_of(state.activity.state)},
                        {"since_age_ms", to_milliseconds(state.activity.since)}};
  object["idle_age_ms"] = to_milliseconds(state.idle);
  object["initialised"] = state.is_initialised;
  if (!state.delay.empty()) object["delay"] = delay_json(state.delay);
  if (state.gaps) object["calls"] = gaps_json(*state.gaps);
  if (state.burstiness_percent > 100) object["burstiness_percent"] = state.burstiness_percent;
  if (state.known) object["known_ms"] = to_milliseconds(*state.known);
  return object;
}

SavedState::SavedGaps saved_gaps(const Gaps& gaps, TimePoint now) {
  SavedState::SavedGaps saved{.begun = std::max(Duration::zero(), now - gaps.begun()), .known = {}};
  for (const auto& [gap, period] : gaps.oldest_first()) {
    saved.known.push_back({from_seconds(gap), from_seconds(period)});
  }
  return saved;
}

void restore_gaps(Gaps& gaps, const SavedState::SavedGaps& saved, TimePoint begun) {
  std::vector<Gaps::Known> known;
  for (const auto& [gap, period] : saved.known) {
    known.push_back({static_cast<float>(to_seconds(gap)), static_cast<float>(to_seconds(period))});
  }
  gaps.restore(known, begun);
}

std::int64_t unix_ms(WallTime wall) {
  return to_milliseconds(wall.time_since_epoch());
}

tl::unexpected<Error> file_error(const std::string& path, std::string_view what) {
  return fail(system_error("state file " + path, what, errno));
}

}  // namespace

SavedState saved(const DeciderState& state, TimePoint now) {
  const auto age = [now](TimePoint at) { return std::max(Duration::zero(), now - at); };
  SavedState saved;
  saved.want = state.want;
  if (state.panic) {
    saved.panic = {age(state.panic->since), age(state.panic->last_over), state.panic_max};
  }
  saved.activity = {state.activity.state, age(state.activity.since)};
  saved.idle = age(state.last_load);
  saved.is_initialised = state.is_initialised;
  for (const auto& [slot, pods] : state.delay.entries()) {
    saved.delay.push_back({age(TimePoint(slot * DelayWindow::kSlot)), pods});
  }
  if (state.gaps.has_seen_a_call()) saved.gaps = saved_gaps(state.gaps, now);
  const double percent = std::min(state.burstiness.index * 100.0, 1.0 * kMostBurstiness);
  saved.burstiness_percent = static_cast<std::int32_t>(std::lround(percent));
  if (state.known_back_to) saved.known = age(*state.known_back_to);
  return saved;
}

DeciderState restored(const SavedState& saved, WallTime saved_at, Duration stable_window,
                      const Moment& moment) {
  const Duration away = std::clamp(moment.wall - saved_at, Duration::zero(), stable_window);
  const auto instant = [&](Duration age) { return moment.now - age - away; };
  DeciderState state;
  state.want = saved.want;
  if (saved.panic) {
    state.panic =
        Panic{.since = instant(saved.panic->since), .last_over = instant(saved.panic->last_over)};
    state.panic_max = saved.panic->most;
  }
  state.activity = {saved.activity.state, instant(saved.activity.since)};
  state.last_load = instant(saved.idle);
  state.is_initialised = saved.is_initialised;
  std::vector<DelayWindow::Entry> delay;
  for (const auto& [span, pods] : saved.delay) {
    delay.push_back({DelayWindow::slot_of(instant(span)), pods});
  }
  state.delay.restore(std::move(delay));
  if (saved.gaps) restore_gaps(state.gaps, *saved.gaps, instant(saved.gaps->begun));
  state.burstiness.index = std::max(1.0F, static_cast<float>(saved.burstiness_percent) / 100);
  if (saved.known) state.known_back_to = instant(*saved.known);
  return state;
}

std::string states_json(const SavedStates& states) {
  json::array revisions;
  for (const auto& [id, state] : states.revisions) revisions.push_back(revision_json(id, state));
  const json::object root{{"version", kVersion},
                          {"saved_at_unix_ms", unix_ms(states.saved_at)},
                          {"revisions", std::move(revisions)}};
  return json::serialize(root) + "\n";
}

Result<SavedStates> parse_states(std::string_view text) {
  boost::system::error_code code;
  const json::value value = json::parse(text, code);
  if (code || !value.is_object()) {
    return fail(ErrorKind::kMalformed, "the whole of it", "want one JSON object");
  }
  const Members root(value.get_object(), "");
  BELLOWS_TRY(const std::int64_t version, root.whole("version", kMostAgeMs));
  if (version != kVersion) {
    return fail(ErrorKind::kUnsupported, "version", std::to_string(version) + ", want 1");
  }
  BELLOWS_TRY(const std::int64_t saved_at, root.whole("saved_at_unix_ms", 1LL << 42));
  SavedStates states;
  states.saved_at = WallTime(std::chrono::milliseconds(saved_at));
  BELLOWS_CHECKED(parse_revisions(root, states));
  return states;
}

Result<SavedStates> read_state_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    if (errno == ENOENT) return SavedStates{};
    return file_error(path, "cannot be read");
  }
  std::ostringstream text;
  text << file.rdbuf();
  auto states = parse_states(text.str());
  if (states || file.bad()) return states;
  const Error& error = states.error();
  return fail(error.kind(), "state file " + path, error.culprit() + ": " + error.message());
}

Result<void> write_state_file(const std::string& path, const SavedStates& states) {
  const std::string fresh = path + ".new";
  std::ofstream file(fresh, std::ios::trunc);
  file << states_json(states);
  file.close();
  if (!file) return file_error(fresh, "cannot be written");
  if (std::rename(fresh.c_str(), path.c_str()) != 0) return file_error(path, "cannot be replaced");
  return {};
}

}  // namespace bellows::autoscaler
