#include "cluster/local/process_end.hpp"

#include "base/read_number.hpp"

namespace bellows::cluster {

namespace {

std::string why_not_started(const std::string& name) {
  if (name == "ENOENT") return "no such program, or no such interpreter in its #! line (ENOENT)";
  if (name == "EACCES") {
    return "its user may not execute it, or may not enter a folder on its path (EACCES)";
  }
  return name;
}

}  // namespace

std::string to_string(const ProcessEnd& end) {
  switch (end.how) {
    case ProcessEnd::How::kExited:
      return "exited with code " + std::to_string(end.code);
    case ProcessEnd::How::kKilled:
      return "was killed by " + end.name;
    case ProcessEnd::How::kNotStarted:
      return "cannot be started: " + why_not_started(end.name);
    case ProcessEnd::How::kLost:
      return "ended because its shim was killed";
  }
  return "ended";
}

std::optional<ShimEvent> parse_shim_line(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || space + 1 == line.size()) return std::nullopt;
  const std::string_view word = line.substr(0, space);
  const std::string_view what = line.substr(space + 1);
  if (word == "killed") return ProcessEnd{ProcessEnd::How::kKilled, 0, std::string(what)};
  if (word == "exec-failed") return ProcessEnd{ProcessEnd::How::kNotStarted, 0, std::string(what)};
  if (word == "ungrouped") return ProcessUngrouped{std::string(what)};
  const std::optional<int> number = read_number<int>(what);
  if (!number) return std::nullopt;
  if (word == "started") return ProcessStarted{*number};
  if (word == "exited") return ProcessEnd{ProcessEnd::How::kExited, *number, {}};
  return std::nullopt;
}

}  // namespace bellows::cluster
