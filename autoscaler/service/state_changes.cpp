#include "autoscaler/service/state_changes.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "autoscaler/journal/policy_changes.hpp"
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

class Reader {
 public:
  explicit Reader(SavedStates& states) : states_(states), begin_(states.at) {}

  Result<void> take(const json::Object& line);
  /// Sets the current memory of the policies in the states.
  void finish();

 private:
  struct Grown {
    journal::GrownMemory memory;
    TimePoint at;  // of the last change
  };
  using Memories = std::map<std::string, Grown>;  // by policy

  Result<void> take_policies(const json::Object& line, const RevisionId& id, TimePoint at);
  Result<Grown*> memory(const RevisionId& id, const json::Object& entry);

  SavedStates& states_;
  ClockPair begin_;  // of the file
  std::map<RevisionId, Memories> grown_;
};

Result<void> Reader::take(const json::Object& line) {
  BELLOWS_TRY(const double after, line.number("after", {0, json::kMaxSeconds}));
  BELLOWS_TRY(std::string name, line.text("name"));
  if (name.empty()) return fail(line.invalid("name", "the name of a revision"));
  const RevisionId id(std::move(name));
  const Duration passed = json::exact_seconds(after);
  const TimePoint at = begin_.now + passed;
  if (line.has("gone")) {
    grown_.erase(id);
    states_.revisions.erase(id);
  } else if (line.has("state")) {
    BELLOWS_TRY(const json::Object object, line.object("state"));
    BELLOWS_TRY(DeciderState state, journal::read_state(object, at));
    grown_.erase(id);
    states_.revisions.insert_or_assign(id, std::move(state));
  } else {
    BELLOWS_CHECKED(take_policies(line, id, at));
  }
  states_.at = {std::max(states_.at.now, at), std::max(states_.at.wall, begin_.wall + passed)};
  return {};
}

/// Applies the whole line, or nothing after an error.
Result<void> Reader::take_policies(const json::Object& line, const RevisionId& id, TimePoint at) {
  BELLOWS_TRY(const std::vector<json::Object> list, line.objects("policies"));
  std::vector<std::pair<Grown*, json::Object>> changes;
  for (const json::Object& entry : list) {
    BELLOWS_TRY(Grown * grown, memory(id, entry));
    BELLOWS_TRY(json::Object change, entry.object("memory"));
    BELLOWS_CHECKED(grown->memory.check(change));
    changes.emplace_back(grown, std::move(change));
  }
  for (const auto& [grown, change] : changes) {
    grown->memory.take(change);
    grown->at = at;
  }
  return {};
}

/// Returns the memory that `entry` changes.
Result<Reader::Grown*> Reader::memory(const RevisionId& id, const json::Object& entry) {
  BELLOWS_TRY(const std::string policy, entry.text("policy"));
  Memories& memories = grown_[id];
  if (const auto known = memories.find(policy); known != memories.end()) return &known->second;
  const auto state = states_.revisions.find(id);
  if (state != states_.revisions.end()) {
    for (const PolicyMemories::Slot& slot : state->second.policies.slots()) {
      if (slot.policy != policy) continue;
      const std::string_view text = slot.unread.empty() ? std::string_view("{}") : slot.unread;
      BELLOWS_TRY(journal::GrownMemory whole, journal::GrownMemory::of(text));
      return &memories.emplace(policy, Grown{std::move(whole), slot.unread_at}).first->second;
    }
  }
  return fail(entry.invalid("policy", "one with a whole state in an earlier line"));
}

void Reader::finish() {
  for (const auto& [id, memories] : grown_) {
    const auto state = states_.revisions.find(id);
    if (state == states_.revisions.end()) continue;
    for (PolicyMemories::Slot& slot : state->second.policies.slots()) {
      const auto grown = memories.find(slot.policy);
      if (grown == memories.end()) continue;
      slot.unread = grown->second.memory.text();
      slot.unread_at = grown->second.at;
    }
  }
}

/// Applies the lines in order. `text` begins after the head.
Result<void> take_lines(std::string_view text, Reader& reader) {
  for (std::size_t number = 2; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      return fail(ErrorKind::kMalformed, "line " + std::to_string(number),
                  "truncated after " + std::to_string(text.size()) + " bytes");
    }
    BELLOWS_TRY(const json::Object line, json::parse_line(text.substr(0, end), number));
    BELLOWS_CHECKED(reader.take(line));
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
  Reader reader(states);
  Result<void> taken = take_lines(text.substr(end + 1), reader);
  reader.finish();
  return taken;
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
