#include "autoscaler/history/observation_grid.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace bellows::autoscaler::history {
namespace {

// Up to 10 there are thousandths, up to 100 hundredths, and so on: each decade but the first has
// 9,000 numbers.
constexpr std::int64_t kFirst = 10'000;
constexpr std::int64_t kDecade = 9'000;
constexpr int kDecades = 10;
constexpr double kLargest = 1e10;
constexpr std::int64_t kPlaces = kFirst + kDecade * (kDecades - 1);

/// The decade of a number: how many times it is divided by ten until it is below 10.
int decade_of(double value) {
  int decade = 0;
  for (double end = 10; value >= end && decade < kDecades - 1; end *= 10) ++decade;
  return decade;
}

/// Steps in 1, or what a step is: exact powers of ten either way, so that 5.8 is the double that a
/// text "5.8" means.
double from_steps(double steps, int decade) {
  constexpr double kPowers[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
  return decade <= 3 ? steps / kPowers[3 - decade] : steps * kPowers[decade - 3];
}
double to_steps(double value, int decade) {
  constexpr double kPowers[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
  return decade <= 3 ? value * kPowers[3 - decade] : value / kPowers[decade - 3];
}

void round_to_grid(double& value) {
  if (value <= 0 || value >= kLargest) return;
  const int decade = decade_of(value);
  value = from_steps(std::max(1.0, std::round(to_steps(value, decade))), decade);
}

void round_to_grid(WindowLoad& load) {
  round_to_grid(load.total);
  round_to_grid(load.per_pod);
  round_to_grid(load.queued);
}

}  // namespace

Observation on_grid(Observation seen) {
  round_to_grid(seen.stable);
  round_to_grid(seen.panic);
  round_to_grid(seen.newest);
  round_to_grid(seen.stable_rate);
  round_to_grid(seen.panic_rate);
  if (seen.cpu) round_to_grid(*seen.cpu);
  if (seen.memory) round_to_grid(*seen.memory);
  if (seen.idle_for) seen.idle_for = std::chrono::floor<std::chrono::milliseconds>(*seen.idle_for);
  return seen;
}

std::optional<std::int64_t> place_on_grid(double value) {
  if (!(value >= 0 && value < kLargest)) return std::nullopt;
  const int decade = decade_of(value);
  const auto steps = static_cast<std::int64_t>(std::round(to_steps(value, decade)));
  const std::int64_t place = steps + decade * kDecade;
  return number_at(place) == value ? std::optional(place) : std::nullopt;
}

double number_at(std::int64_t place) {
  const std::int64_t within = std::clamp<std::int64_t>(place, 0, kPlaces);
  const auto decade =
      static_cast<int>(within < kFirst ? 0 : std::min<std::int64_t>((within - 1000) / kDecade, 9));
  return from_steps(static_cast<double>(within - decade * kDecade), decade);
}

}  // namespace bellows::autoscaler::history
