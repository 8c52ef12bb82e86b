#include "cluster/local/process_end.hpp"

#include "base/read_number.hpp"

namespace bellows::cluster {

namespace {

std::string how_ended(const ProcessEnd& end) {
  switch (end.how) {
    case ProcessEnd::How::kExited:
      return "exited with code " + std::to_string(end.code);
    case ProcessEnd::How::kKilled:
      return "was killed by " + end.name;
    case ProcessEnd::How::kNotStarted:
      return "cannot be started: " + end.name;
    case ProcessEnd::How::kPortTaken:
      return "cannot be started: port " + std::to_string(end.code) + " is taken";
    case ProcessEnd::How::kLost:
      return "ended because its shim was killed";
  }
  return "ended";
}

/// Parses "exited 1" or "killed SIGSEGV".
std::optional<ProcessEnd> parse_end(std::string_view word, std::string_view what) {
  if (word == "killed") return ProcessEnd{ProcessEnd::How::kKilled, 0, std::string(what)};
  const std::optional<int> code = read_number<int>(what);
  if (word != "exited" || !code) return std::nullopt;
  return ProcessEnd{ProcessEnd::How::kExited, *code, {}};
}

/// Removes the prefix from `word`. Returns false if it has none.
bool take_prefix(std::string_view& word, std::string_view prefix) {
  if (!word.starts_with(prefix)) return false;
  word.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::string to_string(const ProcessEnd& end) {
  return (end.is_of_start ? "was not started: its start command " : "") + how_ended(end);
}

std::optional<ShimEvent> parse_shim_line(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || space + 1 == line.size()) return std::nullopt;
  std::string_view word = line.substr(0, space);
  const std::string_view what = line.substr(space + 1);
  if (word == "start-over") return ProcessLaunched{};
  if (word == "exec-failed") return ProcessEnd{ProcessEnd::How::kNotStarted, 0, std::string(what)};
  if (word == "ungrouped") return ProcessUngrouped{std::string(what)};
  if (take_prefix(word, "stop-")) {
    const auto end = parse_end(word, what);
    return end ? std::optional<ShimEvent>(ProcessStopped{*end}) : std::nullopt;
  }
  const bool is_of_start = take_prefix(word, "start-");
  if (auto end = parse_end(word, what)) {
    end->is_of_start = is_of_start;
    return end;
  }
  const std::optional<int> number = read_number<int>(what);
  if (!number) return std::nullopt;
  if (word == "started") return ProcessStarted{*number};
  if (word == "port-taken") return ProcessEnd{ProcessEnd::How::kPortTaken, *number, {}};
  return std::nullopt;
}

}  // namespace bellows::cluster
