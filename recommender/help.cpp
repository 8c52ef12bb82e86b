#include "recommender/help.hpp"

#include <vector>

#include "config/help.hpp"
#include "config/recommender_settings.hpp"
#include "recommender/score_settings.hpp"

namespace bellows::recommender {

namespace {

constexpr std::string_view kOverview = R"(usage: recommender COMMAND ...

What CPU and memory containers should ask for, and why.

Commands:
  replay       answers lines of JSON, in virtual time
  explain      prints the chain of every number, of such lines, a saved state or a running recommender
  score        lives through workloads under several policies, and says what each was worth
  serve        recommends from what a Prometheus or a file says, until it is told to end
  --settings   lists every setting of the policies
  --version

`recommender COMMAND --help` tells more. Exit codes: 0 good, 1 it failed (a file cannot be read), 2 it
was asked wrongly (a flag, or a line that cannot be understood; the message names line, key, value and
what is legal).
)";

constexpr std::string_view kReplay =
    R"(usage: recommender replay [FILE] [--policy vpa|spike|hybrid] [--SETTING VALUE ...]

Reads lines of JSON from FILE (standard input without one, or as "-") and answers each "recommend" with
one line per container. Only virtual time: "at" is in seconds since 2026-01-01T00:00:00Z.

  {"config":{"policy":"vpa","target-cpu-percentile":0.95}}
  {"at":0,"container":"app","request":{"cpu-cores":0.1,"memory-bytes":104857600}}
  {"at":60,"container":"app","cpu-cores":0.12}
  {"at":60,"container":"app","memory-bytes":94371840}
  {"at":70,"container":"app","event":"oom","memory-bytes":104857600}
  {"at":71,"container":"app","event":"crash"}
  {"at":72,"container":"app","event":"crash-loop","active":true}
  {"at":80,"recommend":true}

"new":true forgets everything, "pod":"web-1" tells replicas apart, "checkpoint":true prints what VPA
would save.

Every setting that `recommender --settings` lists is a key of "config" and a flag; flags win. The
environment is not read.
)";

constexpr std::string_view kExplain =
    R"(usage: recommender explain [FILE] CONTAINER|POD/CONTAINER [--policy ...] [--SETTING VALUE ...]
       recommender explain POD/CONTAINER --admin HOST:PORT [--policy ...]

Prints what is known and the chain of every number: target, both bounds, uncapped target. FILE
(standard input without one, or as "-") has the lines of `recommender replay`, or a saved state. With
--admin a running `recommender serve` or `bellows run` is asked, --policy being one that runs there.

Every setting that `recommender --settings` lists is a flag, too. The environment is not read.
)";

constexpr std::string_view kScore =
    R"(usage: recommender score [--trace NAME|FILE[,...]] [--policy NAME[:SETTING=VALUE...][,...]] [flags]

Lives through workloads under each policy, made-up ones (step, ramp, leak, crash-loop, ...; all without
--trace) or measured ones (lines "seconds,container,cpu_cores,memory_bytes"), and prints what was
wasted, killed, throttled and changed.

  recommender score --policy vpa,hybrid,hybrid:memory-window=6h --report score.html

Every setting that `recommender --settings` lists is a flag, too, for all of the policies. The
environment is not read.
)";

/// For commands that do not read the environment.
std::string flags_alone(std::vector<config::Declaration> declarations) {
  for (config::Declaration& declaration : declarations) declaration.variable.clear();
  return config::flag_help(declarations);
}

}  // namespace

std::string overview() {
  return std::string(kOverview);
}

std::string help_of(std::string_view command) {
  if (command == "replay") return std::string(kReplay);
  if (command == "explain") return std::string(kExplain);
  return std::string(kScore) + flags_alone(score_schema().declarations());
}

std::string settings_help() {
  return flags_alone(config::recommender_schema().declarations());
}

}  // namespace bellows::recommender
