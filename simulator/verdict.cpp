#include "simulator/verdict.hpp"

#include <algorithm>
#include <utility>

#include "base/duration_text.hpp"
#include "report/plot.hpp"

namespace bellows::simulator {

namespace {

constexpr double kTiny = 1e-9;

std::string factor(double value) {
  return report::three_digits_text(value);
}

/// Writes "0.43 of knative's waste"; if a waste is not positive, both numbers instead of a ratio.
std::string waste_beside(const Outcome& first, const Outcome& other) {
  if (first.waste() > kTiny && other.waste() > kTiny) {
    return factor(first.waste() / other.waste()) + " of " + other.policy + "'s waste";
  }
  return grouped(first.waste()) + " replica-seconds of waste (" + other.policy + ": " +
         grouped(other.waste()) + ")";
}

std::string waste_alone(const Outcome& only) {
  if (only.offered_replica_seconds <= kTiny)
    return grouped(only.waste()) + " replica-seconds of waste";
  return "waste of " + factor(only.waste() / only.offered_replica_seconds * 100) + "% of the load";
}

std::string longest_wait(const Outcome& outcome) {
  if (outcome.waits.worst == Duration::zero()) return "nobody waits";
  return "nobody waits longer than " + rounded_duration_text(outcome.waits.worst);
}

std::string lost_text(std::uint64_t lost) {
  if (lost == 0) return "no request is lost";
  return grouped(static_cast<double>(lost)) +
         (lost == 1 ? " request is lost" : " requests are lost");
}

template <class Text>
std::string beside(const Comparison& comparison, Text text) {
  std::string others;
  for (std::size_t i = 1; i < comparison.outcomes.size(); ++i) {
    const Outcome& other = comparison.outcomes[i];
    others += (others.empty() ? " (" : ", ") + other.policy + ": " + text(other);
  }
  return others.empty() ? others : others + ")";
}

std::string wait_text(const Outcome& outcome) {
  const Duration wait = outcome.waits.p99;
  return wait == Duration::zero() ? "0" : rounded_duration_text(wait);
}

}  // namespace

std::string cheapest_text(const Comparison& comparison) {
  constexpr Duration kHardlyLonger = std::chrono::milliseconds(10);
  if (comparison.outcomes.size() < 2) return {};
  const Outcome& shortest =
      *std::ranges::min_element(comparison.outcomes, [](const Outcome& a, const Outcome& b) {
        return std::pair(a.lost(), a.waits.p99) < std::pair(b.lost(), b.waits.p99);
      });
  const Outcome* cheapest = &shortest;
  for (const Outcome& outcome : comparison.outcomes) {
    const bool keeps = outcome.lost() <= shortest.lost() &&
                       outcome.waits.p99 <= shortest.waits.p99 + kHardlyLonger;
    if (keeps && outcome.replica_seconds < cheapest->replica_seconds) cheapest = &outcome;
  }
  std::string costs;
  std::string waits;
  for (const Outcome& outcome : comparison.outcomes) {
    if (&outcome == cheapest) continue;
    const std::string separator = costs.empty() ? " (" : ", ";
    costs += separator + outcome.policy + ": " + grouped(outcome.replica_seconds);
    waits += separator + outcome.policy + ": " + wait_text(outcome);
  }
  return "Cheapest that keeps the waiting: " + cheapest->policy + ", " +
         grouped(cheapest->replica_seconds) + " replica-seconds" + costs + "), p99 wait " +
         wait_text(*cheapest) + waits + ")";
}

std::string verdict(const Comparison& comparison) {
  if (comparison.outcomes.empty()) return {};
  const Outcome& first = comparison.outcomes.front();
  std::string text = first.policy + ": ";
  if (comparison.outcomes.size() == 1) text += waste_alone(first);
  for (std::size_t i = 1; i < comparison.outcomes.size(); ++i) {
    text += (i == 1 ? "" : ", ") + waste_beside(first, comparison.outcomes[i]);
  }
  text += ", " + longest_wait(first) + beside(comparison, [](const Outcome& other) {
            return other.waits.worst == Duration::zero() ? std::string("0")
                                                         : rounded_duration_text(other.waits.worst);
          });
  text += ", " + lost_text(first.lost());
  bool is_any_lost = first.lost() > 0;
  for (const Outcome& other : comparison.outcomes) is_any_lost = is_any_lost || other.lost() > 0;
  if (is_any_lost) {
    text += beside(comparison,
                   [](const Outcome& other) { return grouped(static_cast<double>(other.lost())); });
  }
  return text;
}

}  // namespace bellows::simulator
