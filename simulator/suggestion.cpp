#include "simulator/suggestion.hpp"

#include <algorithm>
#include <array>

#include "base/duration_text.hpp"
#include "simulator/comparison.hpp"

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

constexpr std::array<Duration, 12> kIdleClocks = {5s,   15s,  30s,  60s,  90s,   120s,
                                                  180s, 300s, 600s, 900s, 1800s, 3600s};

std::vector<std::string> suggestion_row(const std::string& name, const Outcome& outcome,
                                        Duration worth) {
  return {name, grouped(static_cast<double>(outcome.cold_starts)),
          grouped(static_cast<double>(outcome.starts)), grouped(outcome.waste()),
          grouped(keep_alive_cost(outcome, worth))};
}

}  // namespace

std::vector<Policy> constants_of(const Policy& policy) {
  std::vector<Policy> constants;
  for (const Duration idle_clock : kIdleClocks) {
    Policy constant = policy;
    constant.settings.rules.keep_alive = config::KeepAlive::kConstant;
    constant.settings.rules.idle_clock = idle_clock;
    constant.name = policy.name + ":keep-alive=constant:idle-clock=" + duration_text(idle_clock);
    constants.push_back(std::move(constant));
  }
  return constants;
}

double keep_alive_cost(const Outcome& outcome, Duration worth) {
  return outcome.waste() + to_seconds(worth) * static_cast<double>(outcome.cold_starts);
}

const Constant* Suggestion::best() const {
  const auto cheapest = std::ranges::min_element(constants, {}, [&](const Constant& constant) {
    return keep_alive_cost(constant.outcome, cold_start_worth);
  });
  return cheapest == constants.end() ? nullptr : &*cheapest;
}

std::span<const report::Measure> suggestion_columns() {
  static constexpr std::array<report::Measure, 5> kColumns = {
      {{"idle-clock", {}}, {"cold", {}}, {"starts", {}}, {"waste", {}}, {"cost", {}}}};
  return kColumns;
}

report::Rows suggestion_rows(const Suggestion& suggestion) {
  report::Rows rows;
  for (const auto& [idle_clock, outcome] : suggestion.constants) {
    rows.push_back(suggestion_row(duration_text(idle_clock), outcome, suggestion.cold_start_worth));
  }
  rows.push_back(suggestion_row("as named", suggestion.learned, suggestion.cold_start_worth));
  return rows;
}

std::string suggestion_text(const Suggestion& suggestion) {
  const Constant* const best = suggestion.best();
  if (best == nullptr) return {};
  const Duration worth = suggestion.cold_start_worth;
  const double asked = keep_alive_cost(suggestion.learned, worth);
  const double constant = keep_alive_cost(best->outcome, worth);
  const std::string costs = "costs " + grouped(constant) + " on this traffic, " +
                            suggestion.learned.policy + " " + grouped(asked) +
                            " (waste, and each cold start as cold-start-worth, " +
                            duration_text(worth) + ")";
  const std::string settings =
      "keep-alive: constant and idle-clock: " + duration_text(best->idle_clock);
  if (constant >= asked) {
    return "Keep the settings as they are: the best constant, " + settings + ", " + costs + ".";
  }
  return "Set " + settings + ": it " + costs + ".";
}

}  // namespace bellows::simulator
