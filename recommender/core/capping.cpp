#include "recommender/core/capping.hpp"

#include <algorithm>
#include <array>

namespace bellows::recommender {

namespace {

constexpr std::int64_t kCore = 1000;

std::int64_t rounded_up(std::int64_t amount, std::int64_t multiple) {
  const std::int64_t rest = amount % multiple;
  return rest == 0 ? amount : amount - rest + multiple;
}

std::array<Amounts*, 4> all(Sizes& sizes) {
  return {&sizes.target, &sizes.lower_bound, &sizes.upper_bound, &sizes.uncapped_target};
}

/// Least and most of one resource; nothing: no such limit.
struct Allowed {
  std::optional<std::int64_t> least;
  std::optional<std::int64_t> most;
};

template <class Unit>
std::optional<std::int64_t> set(const std::optional<Unit>& amount) {
  if (!amount || amount->value == 0) return std::nullopt;
  return amount->value;
}

template <class Unit>
Allowed allowed(const std::optional<Unit>& least, const std::optional<Unit>& most,
                const std::optional<Unit>& most_of_all) {
  const auto own = set(most);
  return {set(least), own ? own : set(most_of_all)};
}

std::int64_t capped(std::int64_t amount, const Allowed& allowed) {
  if (allowed.least) amount = std::max(amount, *allowed.least);
  if (allowed.most) amount = std::min(amount, *allowed.most);
  return amount;
}

template <class Unit>
void cap(std::optional<Unit> Amounts::*resource, Sizes& sizes, const Allowed& allowed,
         Chain& chain) {
  for (Amounts* amounts : {&sizes.target, &sizes.lower_bound, &sizes.upper_bound}) {
    std::optional<Unit>& amount = amounts->*resource;
    if (amount) amount->value = capped(amount->value, allowed);
  }
  if (!(sizes.target.*resource)) return;
  const std::int64_t before = (sizes.uncapped_target.*resource)->value;
  const std::int64_t after = (sizes.target.*resource)->value;
  if (after == before) return;
  chain.add(after > before ? Stage::kMinAllowed : Stage::kMaxAllowed,
            static_cast<double>(after > before ? *allowed.least : *allowed.most),
            static_cast<double>(after));
}

template <class Unit>
void round(std::optional<Unit> Amounts::*resource, Sizes& sizes, std::int64_t multiple, Stage stage,
           Chain& chain) {
  if (multiple <= 1 || !(sizes.target.*resource)) return;
  const std::int64_t before = (sizes.target.*resource)->value;
  for (Amounts* amounts : all(sizes)) {
    std::int64_t& amount = (amounts->*resource)->value;
    amount = rounded_up(amount, multiple);
  }
  const std::int64_t after = (sizes.target.*resource)->value;
  if (after == before) return;
  chain.add(stage, static_cast<double>(multiple), static_cast<double>(after));
}

}  // namespace

void post_process(Sizes& sizes, Reason& cpu, Reason& memory, const ContainerSettings& container,
                  const config::RecommenderSettings& settings) {
  const ContainerPolicy& policy = container.policy;
  for (Amounts* amounts : all(sizes)) {
    if (!policy.controls_cpu) amounts->cpu.reset();
    if (!policy.controls_memory) amounts->memory.reset();
  }
  round(&Amounts::cpu, sizes, settings.round_cpu_millicores, Stage::kRounded, cpu.chain);
  round(&Amounts::memory, sizes, settings.round_memory_bytes, Stage::kRounded, memory.chain);
  if (container.whole_cores) round(&Amounts::cpu, sizes, kCore, Stage::kWholeCores, cpu.chain);
  cap(&Amounts::cpu, sizes,
      allowed(policy.min_allowed.cpu, policy.max_allowed.cpu, settings.max_allowed_cpu), cpu.chain);
  cap(&Amounts::memory, sizes,
      allowed(policy.min_allowed.memory, policy.max_allowed.memory, settings.max_allowed_memory),
      memory.chain);
}

}  // namespace bellows::recommender
