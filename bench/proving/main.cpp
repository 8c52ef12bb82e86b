// proving: scenarios made from a seed, under knative, bellows, constants and an oracle.
#include <cstdint>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>

#include "bench/proving/summary.hpp"
#include "command/service_settings.hpp"
#include "config/schema.hpp"

namespace bellows::proving {
namespace {

struct Settings {
  std::int64_t seed = 0;
  std::int64_t scenarios = 500;
  std::optional<std::int64_t> scenario;
  std::string policy = "bellows";
  bool quick = false;
  bool bounds = true;
  double floor = 0;
  std::string rows;
  std::string picture;
};

const config::Schema<Settings>& settings_schema() {
  static const config::Schema<Settings> schema = [] {
    config::Schema<Settings> made;
    made.add(&Settings::seed, {.name = "seed",
                               .bounds = config::between(0, 1e15),
                               .required = true,
                               .help = "Another one for each report, so that nothing is tuned to "
                                       "it."});
    made.add(
        &Settings::scenarios,
        {.name = "scenarios", .bounds = config::between(1, 1e5), .help = "How many are played."});
    made.add(&Settings::scenario, {.name = "scenario",
                                   .bounds = config::between(0, 1e5),
                                   .help = "Play this one alone, and show every number.",
                                   .unset = "all"});
    made.add(&Settings::policy, {.name = "policy",
                                 .help = "What is compared with knative: a profile with settings "
                                         "after colons, as in bellows simulate."});
    made.add(&Settings::quick,
             {.name = "quick", .help = "Small scenarios, without bounds: for tests."});
    made.add(&Settings::bounds,
             {.name = "bounds",
              .help = "Also play the oracle, and on sparse traffic constant keep-alives."});
    made.add(&Settings::floor,
             {.name = "floor",
              .kind = config::Kind::kPercent,
              .bounds = config::between(0, 100),
              .help = "Fail if fewer than this percentage of the scenarios keep within both limits "
                      "(waiting 1.05, waste 1.03 of knative's)."});
    made.add(&Settings::rows, {.name = "rows",
                               .help = "Write one line of JSON a scenario to this FILE.",
                               .unset = "none"});
    made.add(&Settings::picture, {.name = "picture",
                                  .help = "Write the page with all scenarios to this FILE.",
                                  .unset = "none"});
    return made;
  }();
  return schema;
}

Scenario scenario_of(const Settings& settings, std::size_t number) {
  const auto seed = static_cast<std::uint64_t>(settings.seed);
  return make_scenario(seed, number, settings.quick ? kQuick : Effort{});
}

/// The command that replays one scenario, but for its number.
std::string command_of(const Settings& settings) {
  std::string command = "proving --seed " + std::to_string(settings.seed);
  if (settings.quick) command += " --quick";
  if (settings.policy != Settings{}.policy) command += " --policy " + settings.policy;
  return command;
}

int play_one(const Settings& settings, const Players& players) {
  const auto match =
      play(scenario_of(settings, static_cast<std::size_t>(*settings.scenario)), players);
  if (!match) {
    std::cerr << "proving: " << to_string(match.error()) << "\n";
    return 1;
  }
  std::cout << match_text(*match);
  return 0;
}

int play_all(const Settings& settings, const Players& players) {
  const auto seed = static_cast<std::uint64_t>(settings.seed);
  Report report{.seed = seed, .command = command_of(settings), .matches = {}};
  std::ofstream rows(settings.rows);
  for (std::size_t number = 0; number < static_cast<std::size_t>(settings.scenarios); ++number) {
    auto match = play(scenario_of(settings, number), players);
    if (!match) {
      std::cerr << "proving: " << to_string(match.error()) << "\n";
      return 1;
    }
    if (rows.is_open()) rows << match_json(*match) << std::flush;
    match->knative.intervals = match->bellows.intervals = match->oracle.intervals = {};
    match->constant.intervals = match->rival.intervals = {};
    report.matches.push_back(*std::move(match));
  }
  std::cout << "seed " << seed << ", " << report.matches.size() << " scenarios\n\n"
            << summary_text(report);
  if (!settings.picture.empty()) {
    std::ofstream page(settings.picture);
    page << picture_html(report);
    if (!page.good()) {
      std::cerr << "proving: " << settings.picture << ": cannot write the page\n";
      return 1;
    }
  }
  return 100 * share_within(report) >= settings.floor ? 0 : 1;
}

}  // namespace
}  // namespace bellows::proving

int main(int argc, char** argv) {
  using namespace bellows;  // NOLINT(google-build-using-namespace): a program
  const auto settings = command::read_service_settings(
      proving::settings_schema(), "proving",
      "Plays scaling policies on scenarios that nobody tuned them on", argc, argv);
  if (!settings) return settings.error();
  const proving::Players players{.bellows = settings->policy,
                                 .plays_bounds = settings->bounds && !settings->quick};
  return settings->scenario ? proving::play_one(*settings, players)
                            : proving::play_all(*settings, players);
}
