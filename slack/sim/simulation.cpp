#include "slack/sim/simulation.hpp"

#include <array>

#include "base/text_parts.hpp"
#include "slack/sim/world.hpp"

namespace bellows::slack::sim {

namespace {

struct Name {
  Baseline baseline;
  std::string_view name;
};

constexpr std::array<Name, 6> kNames = {{{Baseline::kNone, "none"},
                                         {Baseline::kSlack, "slack"},
                                         {Baseline::kShapes, "slack-shapes"},
                                         {Baseline::kBalloon, "balloon"},
                                         {Baseline::kBuffer, "capacity-buffer"},
                                         {Baseline::kLowered, "lowered-threshold"}}};

Result<Baseline> read_baseline(std::string_view text) {
  std::string known;
  for (const Name& one : kNames) {
    if (one.name == text) return one.baseline;
    known += (known.empty() ? "" : ", ") + std::string(one.name);
  }
  return fail(ErrorKind::kInvalidSetting, "baselines",
              "\"" + std::string(text) + "\": want some of " + known);
}

}  // namespace

std::string_view to_string(Baseline baseline) {
  for (const Name& one : kNames) {
    if (one.baseline == baseline) return one.name;
  }
  return "none";
}

Result<std::vector<Baseline>> read_baselines(const std::string& list) {
  std::vector<Baseline> all;
  if (list == "all") {
    for (const Name& one : kNames) all.push_back(one.baseline);
    return all;
  }
  for (const std::string_view name : split(list, ',')) {
    BELLOWS_TRY(const Baseline one, read_baseline(name));
    all.push_back(one);
  }
  return all;
}

Score simulate(const Scenario& scenario, Baseline baseline, const SimulationSettings& settings) {
  return World(scenario, baseline, settings).run();
}

}  // namespace bellows::slack::sim
