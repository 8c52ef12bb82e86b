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
    "The decisions of one revision, made again. What would it have done?\n\n"
    "  {\"at\":0,\"spec\":{\"target\":10,\"window\":\"60s\"},\"ready\":1}   sets; later changes "
    "the "
    "keys it names\n"
    "  {\"at\":2,\"ready\":1,\"stable\":12.0,\"panic\":30.0}            decides on given averages\n"
    "  {\"at\":3,\"stats\":[{\"pod\":\"a\",\"concurrency\":1.5}]}         what replicas and "
    "activators report\n"
    "  {\"at\":4,\"ready\":1,\"evaluate\":true}                       decides on what was "
    "reported\n"
    "  {\"at\":5,\"snapshot\":{...}}                                goes on from there: opens a "
    "journal\n\n"
    "\"new\":true on a line starts anew.\n"
    "A decision may also be told: observed, in-window, requested, silent, starting, waiting, "
    "idle-for, start-time,\n"
    "cpu, memory, known-seconds, reachable, activator-answers, retired, problem.\n\n"
    "Keys of spec (null takes one back):\n";

}  // namespace

DecisionsFilter::DecisionsFilter(ReplayProfile profile) : replay_(name_of(profile)) {}

Result<void> DecisionsFilter::take(const json::Object& line, std::string& out) {
  BELLOWS_TRY(const auto decided, replay_.take(line));
  if (decided) out += autoscaler::journal::answer_line(decided->decision, decided->at);
  return {};
}

std::string decisions_help() {
  return std::string(kDetails) + autoscaler::journal::spec_help();
}

}  // namespace bellows::cli
