#include "autoscaler/service/slow_file.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <utility>

#include "autoscaler/service/state_file.hpp"
#include "autoscaler/slow/slow_json.hpp"
#include "base/sys/file.hpp"
#include "base/text_parts.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler {
namespace {

constexpr std::string_view kSlowFile = "slow brain's file";  // in errors
constexpr std::string_view kTitle = "bellows slow brain ";
constexpr std::string_view kSlowVersion = "2";
constexpr Duration kLongestAway = std::chrono::hours(24 * 30);

std::string checksum(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
  return digits.data();
}

Result<std::string_view> body_of(std::string_view text) {
  const auto broken = [](ErrorKind kind, std::string_view what, std::string message) {
    return fail(kind, std::string(what), std::move(message));
  };
  if (!text.starts_with(kTitle)) {
    return broken(ErrorKind::kMalformed, "first line", "want \"bellows slow brain 2 CHECKSUM\"");
  }
  std::string_view body = text;
  const std::string_view rest = next_part(body, '\n').substr(kTitle.size());
  const std::size_t space = std::min(rest.find(' '), rest.size());
  const std::string version(rest.substr(0, space));
  if (version != kSlowVersion) {
    return broken(ErrorKind::kUnsupported, "version", version + ", want 2");
  }
  const std::string given(rest.substr(std::min(space + 1, rest.size())));
  const std::string computed = checksum(body);
  if (given != computed) {
    return broken(ErrorKind::kMalformed, "checksum",
                  given + ", but that of the content is " + computed);
  }
  return body;
}

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
  return std::string(kTitle) + std::string(kSlowVersion) + " " + checksum(body) + "\n" + body;
}

Result<SlowStates> parse_slow_states(const std::string& text, TimePoint now, WallTime wall) {
  BELLOWS_TRY(std::string_view body, body_of(text));
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
