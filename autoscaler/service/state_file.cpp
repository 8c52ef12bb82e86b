#include "autoscaler/service/state_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "autoscaler/journal/moved_state.hpp"
#include "autoscaler/journal/state_json.hpp"
#include "autoscaler/service/first_state_format.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler {
namespace {

constexpr std::int64_t kVersion = 2;
constexpr std::int64_t kMaxUnixMs = 1LL << 42;

/// Where the instants of a file that was read lie until they are restored: any place will do that
/// no age reaches back before.
constexpr TimePoint kOrigin{std::chrono::hours(24 * 365 * 20)};

std::int64_t unix_ms(WallTime wall) {
  return to_milliseconds(wall.time_since_epoch());
}

Result<DeciderState> read_revision(const json::Object& revision, std::int64_t version) {
  if (version == 1) return read_first_format(revision, kOrigin);
  BELLOWS_TRY(const json::Object state, revision.object("state"));
  return journal::read_state(state, kOrigin);
}

Result<void> read_revisions(const json::Object& root, std::int64_t version, SavedStates& states) {
  BELLOWS_TRY(const std::vector<json::Object> list, root.objects("revisions"));
  for (const json::Object& revision : list) {
    BELLOWS_TRY(std::string name, revision.text("name"));
    if (name.empty()) return fail(revision.invalid("name", "the name of a revision"));
    BELLOWS_TRY(DeciderState state, read_revision(revision, version));
    states.revisions.emplace(RevisionId(std::move(name)), std::move(state));
  }
  return {};
}

tl::unexpected<Error> file_error(const std::string& path, std::string_view what) {
  return fail(system_error("state file " + path, what, errno));
}

}  // namespace

DeciderState restored(const SavedStates& saved, const DeciderState& state, Duration stable_window,
                      const Moment& now) {
  const Duration away = std::clamp(now.wall - saved.at.wall, Duration::zero(), stable_window);
  return journal::moved(state, now.now - away - saved.at.now);
}

std::string states_json(const SavedStates& states) {
  json::Writer line;
  line.integer("version", kVersion).integer("saved_at_unix_ms", unix_ms(states.at.wall));
  line.open_list("revisions");
  for (const auto& [id, state] : states.revisions) {
    line.open().text("name", id.text());
    journal::write_state(line, "state", state, states.at.now);
    line.close();
  }
  line.close();
  return line.end_line();
}

Result<SavedStates> parse_states(std::string_view text) {
  BELLOWS_TRY(const json::Object root, json::parse_line(text, 1));
  BELLOWS_TRY(const std::int64_t version, root.integer("version", 0, kMaxUnixMs));
  if (version != 1 && version != kVersion) {
    return fail(ErrorKind::kUnsupported, "version", std::to_string(version) + ", want 1 or 2");
  }
  BELLOWS_TRY(const std::int64_t saved_at, root.integer("saved_at_unix_ms", 0, kMaxUnixMs));
  SavedStates states;
  states.at = {.now = kOrigin, .wall = WallTime(std::chrono::milliseconds(saved_at))};
  BELLOWS_CHECKED(read_revisions(root, version, states));
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
