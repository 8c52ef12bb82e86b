#include "replay/filter.hpp"

#include <istream>
#include <ostream>

#include "base/number_text.hpp"
#include "json/seconds.hpp"

namespace bellows::replay {

Result<void> feed(Filter& filter, std::istream& in, std::ostream& out) {
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    BELLOWS_TRY(const json::Object line, json::parse_line(text, number));
    std::string answers;
    BELLOWS_CHECKED(filter.take(line, answers));
    out << answers;
  }
  if (in.bad()) return fail(ErrorKind::kSystem, "the input", "could not be read to its end");
  return {};
}

Result<Instant> VirtualClock::advance(const json::Object& line) {
  BELLOWS_TRY(const double seconds, line.number("at", {0, json::kMaxSeconds}));
  if (latest_ && seconds < *latest_) {
    return fail(line.invalid(
        "at", "at least " + shortest_text(*latest_) + ", the time of the line before"));
  }
  latest_ = seconds;
  return Instant{seconds, TimePoint(json::exact_seconds(seconds))};
}

}  // namespace bellows::replay
