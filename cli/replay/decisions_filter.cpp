#include "cli/replay/decisions_filter.hpp"

#include "autoscaler/journal/decision_json.hpp"

namespace bellows::cli {
namespace {

std::string_view name_of(ReplayProfile profile) {
  switch (profile) {
    case ReplayProfile::kBellows:
      return "bellows";
    case ReplayProfile::kKnative:
      return "knative";
    case ReplayProfile::kSeed:
      return "seed";
  }
  return {};
}

constexpr std::string_view kDetails =
    R"(Repeats the decisions of one revision. Reads FILE, or standard input without one or as -.

  bellows replay decisions web.jsonl
  bellows journal web | bellows replay decisions -

  {"at":0,"spec":{"target":10,"window":"60s"},"ready":1}   sets; a later spec changes the keys it has
  {"at":2,"ready":1,"stable":12.0,"panic":30.0}            decides on given averages
  {"at":3,"stats":[{"pod":"a","concurrency":1.5}]}         reports of replicas and activators
  {"at":4,"ready":1,"evaluate":true}                       decides on the reports
  {"at":5,"snapshot":{...}}                                restores a state: the first line of a journal

"new":true in a line resets everything.
Optional input of a decision: observed, in-window, requested, not-reporting, starting, waiting, idle-for, start-time,
cpu, memory, known-seconds, reachable, activator-answers, retired, paused, problem.

Keys of spec (null resets one):
)";

}  // namespace

DecisionsFilter::DecisionsFilter(ReplayProfile profile) : replay_(name_of(profile)) {}

Result<void> DecisionsFilter::take(const json::Object& line, std::string& out) {
  if (line_with_profile_ == 0 && line.has("spec")) {
    const auto spec = line.object("spec");
    if (spec && spec->has("profile")) line_with_profile_ = line.line();
  }
  BELLOWS_TRY(const auto decided, replay_.take(line));
  if (decided) out += autoscaler::journal::answer_line(decided->decision, decided->at);
  return {};
}

std::string decisions_help() {
  return std::string(kDetails) + autoscaler::journal::spec_help();
}

}  // namespace bellows::cli
