#include "autoscaler/core/rules/unsettled_load.hpp"

#include "autoscaler/core/rules/early_scale_up.hpp"

namespace bellows::autoscaler {
namespace {

/// Once in a day of evaluations by chance.
constexpr double kZScore = 4;
/// Most loads that rose once rise again within it; a steady one has its small headroom back soon.
constexpr Duration kMemory = std::chrono::minutes(2);

}  // namespace

std::optional<TimePoint> next_unsettled_at(const Memory& memory, const ScalingSpec& spec,
                                           const Observation& seen, TimePoint now) {
  if (spec.rules.headroom != config::Headroom::kSquareRoot) return std::nullopt;
  const double spread = spread_index(memory.burstiness);
  const auto is_beyond = [&](double load, Duration window) {
    const double chance = deviation(load, memory.service_seconds, window, spread);
    return load - kZScore * chance > seen.stable.total;
  };
  const bool is_beyond_chance = memory.panic || is_beyond(seen.panic.total, spec.panic_window) ||
                                is_beyond(seen.newest, std::chrono::seconds(1));
  return is_beyond_chance ? now : memory.unsettled_at;
}

bool is_unsettled(const Memory& memory, TimePoint now) {
  return memory.unsettled_at && now - *memory.unsettled_at <= kMemory;
}

}  // namespace bellows::autoscaler
