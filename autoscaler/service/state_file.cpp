#include "autoscaler/service/state_file.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "autoscaler/journal/state_json.hpp"
#include "base/sys/file.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler {
namespace {

constexpr std::int64_t kStateVersion = 2;

/// The time of saving on the time line of a file that was read, until restored() moves the states:
/// any instant works that is later than every age.
constexpr TimePoint kOrigin{std::chrono::hours(24 * 365 * 20)};

std::int64_t unix_ms(WallTime wall) {
  return to_milliseconds(wall.time_since_epoch());
}

void write_head(json::Writer& out, const ClockPair& at) {
  out.integer("version", kStateVersion).integer("saved_at_unix_ms", unix_ms(at.wall));
}

Result<ClockPair> read_head(const json::Object& root) {
  BELLOWS_TRY(const std::int64_t version, root.integer("version", 0, kMaxUnixMs));
  if (version != kStateVersion) {
    return fail(ErrorKind::kUnsupported, "version", std::to_string(version) + ", want 2");
  }
  BELLOWS_TRY(const std::int64_t saved_at, root.integer("saved_at_unix_ms", 0, kMaxUnixMs));
  return ClockPair{.now = kOrigin, .wall = WallTime(std::chrono::milliseconds(saved_at))};
}

Result<void> read_revisions(const json::Object& root, SavedStates& states) {
  BELLOWS_TRY(const std::vector<json::Object> list, root.objects("revisions"));
  for (const json::Object& revision : list) {
    BELLOWS_TRY(std::string name, revision.text("name"));
    if (name.empty()) return fail(revision.invalid("name", "the name of a revision"));
    BELLOWS_TRY(const json::Object object, revision.object("state"));
    BELLOWS_TRY(DeciderState state, journal::read_state(object, kOrigin));
    states.revisions.emplace(RevisionId(std::move(name)), std::move(state));
  }
  return {};
}

}  // namespace

DeciderState restored(const ClockPair& saved_at, const DeciderState& state, Duration stable_window,
                      const ClockPair& now) {
  const Duration away = std::clamp(now.wall - saved_at.wall, Duration::zero(), stable_window);
  return journal::moved(state, now.now - away - saved_at.now);
}

std::string states_head(const ClockPair& at, std::string_view series) {
  json::Writer line;
  write_head(line, at);
  if (!series.empty()) line.text("series", series);
  std::string head = line.end();
  head.pop_back();
  return head + ",\"revisions\":[";
}

void append_state(std::string& out, const RevisionId& id, const DeciderState& state, TimePoint at) {
  json::Writer entry;
  entry.text("name", id.text());
  journal::write_state(entry, "state", state, at);
  if (!out.ends_with('[')) out += ',';
  out += entry.end();
}

Result<SavedStates> parse_states(std::string_view text) {
  BELLOWS_TRY(const json::Object root, json::parse_line(text, 1));
  SavedStates states;
  BELLOWS_TRY(states.at, read_head(root));
  if (root.has("series")) {
    BELLOWS_TRY(states.series, root.text("series"));
  }
  BELLOWS_CHECKED(read_revisions(root, states));
  return states;
}

std::string state_json(const SavedState& saved) {
  json::Writer text;
  write_head(text, saved.at);
  journal::write_state(text, "state", saved.state, saved.at.now);
  return text.end();
}

Result<SavedState> parse_state(std::string_view text) {
  BELLOWS_TRY(const json::Object root, json::parse_line(text, 1));
  SavedState saved;
  BELLOWS_TRY(saved.at, read_head(root));
  BELLOWS_TRY(const json::Object object, root.object("state"));
  BELLOWS_TRY(saved.state, journal::read_state(object, kOrigin));
  return saved;
}

Result<SavedStates> read_state_file(const std::string& path) {
  const Result<std::string> text = sys::read_whole_file(path, kStateFile);
  if (!text && text.error().kind() == ErrorKind::kNotFound) return SavedStates{};
  if (!text) return fail(text.error());
  auto states = parse_states(*text);
  if (states) return states;
  const Error& error = states.error();
  return fail(error.kind(), std::string(kStateFile) + " " + path,
              error.culprit() + ": " + error.message());
}

}  // namespace bellows::autoscaler
