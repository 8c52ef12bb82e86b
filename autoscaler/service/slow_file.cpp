#include "autoscaler/service/slow_file.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <utility>

#include "autoscaler/service/checked_text.hpp"
#include "autoscaler/service/state_file.hpp"
#include "autoscaler/slow/slow_json.hpp"
#include "base/sys/file.hpp"
#include "base/text_parts.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler {
namespace {

constexpr std::string_view kSlowFile = "slow brain's file";  // in errors
constexpr std::string_view kTitle = "slow brain";
constexpr std::string_view kSlowVersion = "2";
constexpr Duration kLongestAway = std::chrono::hours(24 * 30);

Result<void> read_line(std::string_view line, std::size_t number, TimePoint now, WallTime wall,
                       SlowStates& states) {
  BELLOWS_TRY(const json::Object object, json::parse_line(line, number));
  BELLOWS_TRY(const std::string name, object.text("name"));
  if (name.empty()) return fail(object.invalid("name", "the name of a revision"));
  BELLOWS_TRY(const std::int64_t saved_ms, object.integer("saved-at-unix-ms", 0, kMaxUnixMs));
  const Duration away = wall - WallTime(std::chrono::milliseconds(saved_ms));
  BELLOWS_TRY(const json::Object state, object.object("state"));
  const TimePoint saved = now - std::clamp(away, Duration::zero(), kLongestAway);
  BELLOWS_TRY(slow::SlowState read, slow::read_state(state, saved));
  states.emplace(RevisionId(name), std::move(read));
  return {};
}

}  // namespace

std::string slow_states_text(const SlowStates& states, TimePoint now, WallTime wall) {
  std::string body;
  for (const auto& [id, state] : states) {
    json::Writer out;
    out.text("name", id.text())
        .integer("saved-at-unix-ms", to_milliseconds(wall.time_since_epoch()));
    slow::write_state(out, "state", state, now);
    body += out.end_line();
  }
  return checked_text(kTitle, kSlowVersion, body);
}

Result<SlowStates> parse_slow_states(const std::string& text, TimePoint now, WallTime wall) {
  BELLOWS_TRY(std::string_view body, checked_body(text, kTitle, kSlowVersion));
  SlowStates states;
  for (std::size_t number = 2; !body.empty(); ++number) {
    BELLOWS_CHECKED(read_line(next_part(body, '\n'), number, now, wall, states));
  }
  return states;
}

Result<SlowStates> read_slow_file(const std::string& path, TimePoint now, WallTime wall) {
  const Result<std::string> text = sys::read_whole_file(path, kSlowFile);
  if (!text && text.error().kind() == ErrorKind::kNotFound) return SlowStates{};
  if (!text) return fail(text.error());
  auto states = parse_slow_states(*text, now, wall);
  if (states) return states;
  const std::string aside = path + ".unusable";
  const bool is_moved = std::rename(path.c_str(), aside.c_str()) == 0;
  const Error& error = states.error();
  return fail(error.kind(), std::string(kSlowFile) + " " + path,
              error.culprit() + ": " + error.message() +
                  (is_moved ? "; kept as " + aside : "; it cannot be renamed"));
}

Result<void> write_slow_file(const std::string& path, const SlowStates& states, TimePoint now,
                             WallTime wall) {
  return sys::replace_file(path, slow_states_text(states, now, wall), kSlowFile);
}

}  // namespace bellows::autoscaler
