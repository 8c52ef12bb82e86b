#include "cli/replay/slow_filter.hpp"

#include <utility>

#include "autoscaler/slow/slow_json.hpp"
#include "json/writer.hpp"

namespace bellows::cli {

namespace slow = autoscaler::slow;

Result<void> SlowFilter::take(const json::Object& line, std::string& out) {
  BELLOWS_TRY(const replay::Instant at, clock_.advance(line));
  if (line.has("spec")) {
    BELLOWS_TRY(const json::Object object, line.object("spec"));
    BELLOWS_TRY(spec_, slow::read_spec(object));
  }
  if (line.has("state")) {
    BELLOWS_TRY(const json::Object object, line.object("state"));
    BELLOWS_TRY(state_, slow::read_state(object, at.time));
  }
  if (!line.has("interval")) {
    if (line.has("spec") || line.has("state")) return {};
    return fail(line.invalid("interval", "one of state, spec and interval"));
  }
  BELLOWS_TRY(const json::Object object, line.object("interval"));
  BELLOWS_TRY(const slow::Interval interval, slow::read_interval(object, at.time));
  const slow::Advice advice = slow::evaluate(spec_, state_, interval);
  json::Writer answer;
  answer.number("at", at.seconds);
  slow::write_advice(answer, advice);
  out += answer.end_line();
  return {};
}

}  // namespace bellows::cli
