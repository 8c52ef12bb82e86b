#include "recommender/commands.hpp"

#include <array>
#include <iostream>

#include "command/completion.hpp"
#include "command/manual.hpp"
#include "config/help.hpp"
#include "config/recommender_program_settings.hpp"
#include "config/recommender_settings.hpp"
#include "recommender/explain_settings.hpp"
#include "recommender/score_settings.hpp"

namespace bellows::recommender {

namespace {

using command::Command;
using command::Declarations;

constexpr std::string_view kAbout =
    R"(Recommends CPU and memory requests for containers, and explains each number.

  recommender replay usage.jsonl                                     recommendations for recorded usage
  recommender serve --prometheus-address http://localhost:9090       recommendations for what runs now
)";

constexpr std::string_view kReplayDetails =
    R"(Reads JSON lines from FILE (standard input without one, or as -) and prints one line per container for each
"recommend". Time is virtual: "at" is in seconds since 2026-01-01T00:00:00Z.

  {"config":{"policy":"vpa","target-cpu-percentile":0.95}}
  {"at":0,"container":"app","request":{"cpu-cores":0.1,"memory-bytes":104857600}}
  {"at":60,"container":"app","cpu-cores":0.12}
  {"at":60,"container":"app","memory-bytes":94371840}
  {"at":70,"container":"app","event":"oom","memory-bytes":104857600}
  {"at":71,"container":"app","event":"crash"}
  {"at":72,"container":"app","event":"crash-loop","active":true}
  {"at":80,"recommend":true}

"new":true discards everything, "pod":"web-1" distinguishes replicas, "checkpoint":true prints what VPA would save.

  recommender replay usage.jsonl --policy vpa
  recommender replay - --hybrid-window 6h < usage.jsonl

Every setting that `recommender --settings` lists is a key of "config" and a flag; flags override lines. The
environment is not read.
)";

constexpr std::string_view kExplainDetails =
    R"(Prints the data of a container and the derivation of each number: target, both bounds, uncapped target. FILE
(standard input without one, or as -) has the lines of `recommender replay`, or a saved state. With --admin a running
`recommender serve` or `bellows run` is asked; --policy is then one that runs there. On a Kubernetes cluster the name
is NAMESPACE/POD/CONTAINER.

  recommender explain usage.jsonl app
  recommender explain - app --policy spike < usage.jsonl
  recommender explain web-1/app --admin 127.0.0.1:8081

Every setting that `recommender --settings` lists is a flag too. The environment is not read.
)";

constexpr std::string_view kScoreDetails =
    R"(Simulates workloads under each policy and prints waste, OOM kills, throttling and changes. A workload is a
synthetic one (step, ramp, leak, crash-loop, ...; all of them without --trace) or a FILE with lines
"seconds,container,cpu_cores,memory_bytes" (- is standard input).

  recommender score --policy vpa,hybrid,hybrid:hysteresis=0.1 --report score.html
  recommender score --trace usage.csv
  zcat usage.csv.gz | recommender score --trace -

Every setting that `recommender --settings` lists is a flag too, for all policies. The environment is not read.
)";

constexpr std::string_view kServeDetails =
    R"(Recommends until SIGTERM or SIGINT, from a Prometheus, from a file, or for the VerticalPodAutoscalers of a
Kubernetes cluster whose spec.recommenders names bellows:

  recommender serve --cluster kubernetes
  recommender serve --prometheus-address http://localhost:9090
  recommender serve --usage-file usage.jsonl --listen 127.0.0.1:8085
)";

template <auto schema>
const Declarations& declarations_of() {
  return schema().declarations();
}

constexpr std::array<Command, 8> kCommands = {{
    {.name = "replay",
     .synopsis = "replay [FILE] [--policy vpa|spike|hybrid] [--SETTING VALUE ...]",
     .summary = "Recommend from recorded usage, in virtual time",
     .details = kReplayDetails,
     .settings = declarations_of<config::recommender_schema>,
     .run = run_replay,
     .listed_settings = command::no_settings,
     .reads_environment = false},
    {.name = "explain",
     .synopsis = "explain [FILE] CONTAINER|POD/CONTAINER [--policy ...] [--SETTING VALUE ...]",
     .summary = "Explain each number of a recommendation",
     .details = kExplainDetails,
     .settings = explain_declarations,
     .run = run_explain,
     .listed_settings = declarations_of<explain_schema>,
     .reads_environment = false},
    {.name = "score",
     .synopsis = "score [--trace NAME|FILE[,...]] [--policy NAME[:SETTING=VALUE...][,...]] [flags]",
     .summary = "Compare policies on workloads, in virtual time",
     .details = kScoreDetails,
     .settings = score_declarations,
     .run = run_score,
     .listed_settings = declarations_of<score_schema>,
     .reads_environment = false},
    {.name = "serve",
     .synopsis = "serve [flags]",
     .summary = "Recommend continuously, from a Prometheus, a file or a Kubernetes cluster",
     .details = kServeDetails,
     .settings = declarations_of<config::recommender_program_schema>,
     .run = run_serve},
    {.name = "settings",
     .synopsis = "settings",
     .summary = "List every setting of the policies (also: --settings)",
     .run = print_settings},
    command::kCompletionCommand,
    command::kManualCommand,
    command::kVersionCommand,
}};

constexpr command::Program kRecommender{
    .name = "recommender", .about = kAbout, .commands = kCommands};

}  // namespace

const command::Program& recommender_program() {
  return kRecommender;
}

int print_settings(const Invocation& invocation) {
  if (!invocation.arguments.positional.empty())
    return usage_error(invocation, "takes no arguments");
  Declarations settings = config::recommender_schema().declarations();
  // Flags and keys of lines: these commands read no environment.
  for (config::Declaration& setting : settings) setting.variable.clear();
  std::cout << config::flag_help(settings);
  return kSuccess;
}

int report_error(const Invocation& invocation, const Error& error) {
  const bool is_input = error.kind() == ErrorKind::kMalformed ||
                        error.kind() == ErrorKind::kInvalidSetting ||
                        error.kind() == ErrorKind::kUnsupported;
  return is_input ? usage_error(invocation, error) : report_failure(invocation, error);
}

}  // namespace bellows::recommender
