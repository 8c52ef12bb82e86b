#include "autoscaler/service/state_file.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <utility>

namespace bellows::autoscaler {
namespace {

namespace json = boost::json;

constexpr std::int64_t kVersion = 1;
constexpr std::int64_t kMostReplicas = 1'000'000;
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

Result<SavedState> parse_state(const Members& revision) {
  BELLOWS_TRY(const std::int64_t want, revision.whole("want", kMostReplicas));
  BELLOWS_TRY(auto panic, parse_panic(revision));
  BELLOWS_TRY(auto idle, revision.age_if_any("idle_age_ms"));
  BELLOWS_TRY(auto known, revision.age_if_any("known_ms"));
  return SavedState{static_cast<PodCount>(want), panic, idle, known};
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

json::object revision_json(const RevisionId& id, const SavedState& state) {
  json::object object{{"name", id.text()}, {"want", state.want}};
  if (state.panic) {
    object["panic"] = {{"since_age_ms", to_milliseconds(state.panic->since)},
                       {"last_over_age_ms", to_milliseconds(state.panic->last_over)},
                       {"most", state.panic->most}};
  }
  if (state.idle) object["idle_age_ms"] = to_milliseconds(*state.idle);
  if (state.known) object["known_ms"] = to_milliseconds(*state.known);
  return object;
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
    saved.panic = {age(state.panic->since), age(state.panic->last_over), state.panic->most};
  }
  if (state.idle_since) saved.idle = age(*state.idle_since);
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
    state.panic = Panic{.since = instant(saved.panic->since),
                        .last_over = instant(saved.panic->last_over),
                        .most = saved.panic->most};
  }
  if (saved.idle) state.idle_since = instant(*saved.idle);
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
