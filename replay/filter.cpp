#include "replay/filter.hpp"

#include <istream>
#include <ostream>

#include "replay/json_line.hpp"
#include "replay/seconds.hpp"

namespace bellows::replay {

Result<void> feed(Filter& filter, std::istream& in, std::ostream& out) {
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    BELLOWS_TRY(const Object line, parse_line(text, number));
    std::string answers;
    BELLOWS_CHECKED(filter.take(line, answers));
    out << answers;
  }
  if (in.bad()) return fail(ErrorKind::kSystem, "the input", "could not be read to its end");
  return {};
}

Result<Instant> VirtualClock::advance(const Object& line) {
  BELLOWS_TRY(const double seconds, line.number("at", {0, kMaxSeconds}));
  if (latest_ && seconds < *latest_) {
    return fail(line.unfit("at", "at least " + number_text(*latest_) +
                                     ", the time of the line before: time never goes back"));
  }
  latest_ = seconds;
  return Instant{seconds, TimePoint(exact_seconds(seconds))};
}

}  // namespace bellows::replay
