#include "autoscaler/service/state_changes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "autoscaler/journal/state_json.hpp"
#include "base/sys/file.hpp"
#include "json/object.hpp"
#include "json/seconds.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler {
namespace {

constexpr std::string_view kChangesFile = "changes of the state";  // in errors

/// The parts of a line: the object without its opening brace.
std::string rest_of(json::Writer& line) {
  std::string text = line.end_line();
  text.front() = ',';
  return text;
}

/// Applies the whole line, or nothing after an error. `begin`: of the file.
Result<void> take_line(const json::Object& line, const ClockPair& begin, SavedStates& states) {
  BELLOWS_TRY(const double after, line.number("after", {0, json::kMaxSeconds}));
  BELLOWS_TRY(std::string name, line.text("name"));
  if (name.empty()) return fail(line.invalid("name", "the name of a revision"));
  const RevisionId id(std::move(name));
  const Duration passed = json::exact_seconds(after);
  const TimePoint at = begin.now + passed;
  if (line.has("gone")) {
    states.revisions.erase(id);
  } else if (line.has("state")) {
    BELLOWS_TRY(const json::Object object, line.object("state"));
    BELLOWS_TRY(DeciderState state, journal::read_state(object, at));
    states.revisions.insert_or_assign(id, std::move(state));
  } else {
    const auto state = states.revisions.find(id);
    PolicyMemories none;
    PolicyMemories& known = state == states.revisions.end() ? none : state->second.policies;
    BELLOWS_CHECKED(journal::read_policy_changes(line, at, known));
  }
  states.at = {std::max(states.at.now, at), std::max(states.at.wall, begin.wall + passed)};
  return {};
}

/// Applies the lines in order. `text` begins after the head.
Result<void> take_lines(std::string_view text, SavedStates& states) {
  const ClockPair begin = states.at;
  for (std::size_t number = 2; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      return fail(ErrorKind::kMalformed, "line " + std::to_string(number),
                  "truncated after " + std::to_string(text.size()) + " bytes");
    }
    BELLOWS_TRY(const json::Object line, json::parse_line(text.substr(0, end), number));
    BELLOWS_CHECKED(take_line(line, begin, states));
    text.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace

std::string changes_head(std::string_view series) {
  return json::Writer().text("changes-of", series).end_line();
}

std::string after_text(Duration after) {
  std::string text =
      json::Writer().number("after", std::max(0.0, json::seconds_number(after))).end();
  text.pop_back();
  return text;
}

std::string state_change(const RevisionId& id, const DeciderState& state, TimePoint at) {
  json::Writer line;
  line.text("name", id.text());
  journal::write_state(line, "state", state, at);
  return rest_of(line);
}

std::string policy_change(const RevisionId& id, const PolicyMemories& memories, TimePoint at) {
  json::Writer line;
  line.text("name", id.text());
  journal::write_policy_changes(line, memories, at);
  return rest_of(line);
}

std::string gone_change(const RevisionId& id) {
  json::Writer line;
  line.text("name", id.text()).flag("gone", true);
  return rest_of(line);
}

Result<void> apply_changes(std::string_view text, SavedStates& states) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) {
    return fail(ErrorKind::kMalformed, "line 1",
                "truncated after " + std::to_string(text.size()) + " bytes");
  }
  BELLOWS_TRY(const json::Object head, json::parse_line(text.substr(0, end), 1));
  BELLOWS_TRY(const std::string series, head.text("changes-of"));
  if (series.empty() || series != states.series) return {};
  return take_lines(text.substr(end + 1), states);
}

Result<SavedParts> read_saved_states(const std::string& path) {
  BELLOWS_TRY(SavedStates states, read_state_file(path));
  SavedParts parts{.states = std::move(states), .damage = std::nullopt};
  const std::string changes = path + std::string(kChangesSuffix);
  const Result<std::string> text = sys::read_whole_file(changes, kChangesFile);
  if (!text) {
    if (text.error().kind() != ErrorKind::kNotFound) parts.damage = text.error();
    return parts;
  }
  if (const auto applied = apply_changes(*text, parts.states); !applied) {
    const Error& error = applied.error();
    parts.damage = Error(error.kind(), std::string(kChangesFile) + " " + changes,
                         error.culprit() + ": " + error.message());
  }
  return parts;
}

}  // namespace bellows::autoscaler
