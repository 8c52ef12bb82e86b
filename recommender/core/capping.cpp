#include "recommender/core/capping.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace bellows::recommender {

namespace {

std::int64_t rounded_up(std::int64_t amount, std::int64_t multiple) {
  const std::int64_t rest = amount % multiple;
  return rest == 0 ? amount : amount - rest + multiple;
}

/// The allowed range of one resource; nullopt: no limit.
struct Allowed {
  std::optional<std::int64_t> min;
  std::optional<std::int64_t> max;
};

template <class Unit>
std::optional<std::int64_t> set(const std::optional<Unit>& amount) {
  if (!amount || amount->value == 0) return std::nullopt;
  return amount->value;
}

template <class Unit>
Allowed allowed(const std::optional<Unit>& min, const std::optional<Unit>& max,
                const std::optional<Unit>& global_max) {
  const auto own = set(max);
  return {set(min), own ? own : set(global_max)};
}

/// Sets `amount` to `next` and adds a step to `chain` (unless that is nullptr) if it changed.
void change(std::int64_t& amount, std::int64_t next, Stage stage, std::int64_t input,
            Chain* chain) {
  if (next == amount) return;
  amount = next;
  if (chain != nullptr) {
    chain->add(stage, static_cast<double>(input), static_cast<double>(amount));
  }
}

void cap(std::int64_t& amount, const Allowed& allowed, Chain* chain) {
  if (allowed.min) {
    change(amount, std::max(amount, *allowed.min), Stage::kMinAllowed, *allowed.min, chain);
  }
  if (allowed.max) {
    change(amount, std::min(amount, *allowed.max), Stage::kMaxAllowed, *allowed.max, chain);
  }
}

/// All sizes of one resource that are set.
template <class Unit>
struct Parts {
  Parts(std::optional<Unit> Amounts::*resource, Sizes& sizes, const CappingChains& notes)
      : capped{{{&(sizes.target.*resource), notes.target},
                {&(sizes.lower_bound.*resource), notes.lower_bound},
                {&(sizes.upper_bound.*resource), notes.upper_bound}}},
        uncapped(&(sizes.uncapped_target.*resource)) {}

  void round(std::int64_t multiple, Stage stage) {
    if (multiple <= 1 || !*uncapped) return;
    const auto of = [&](std::optional<Unit>& amount, Chain* chain) {
      change(amount->value, rounded_up(amount->value, multiple), stage, multiple, chain);
    };
    for (const auto& [amount, chain] : capped) of(*amount, chain);
    of(*uncapped, nullptr);
  }
  void cap(const Allowed& allowed) {
    for (const auto& [amount, chain] : capped) {
      if (*amount) recommender::cap((*amount)->value, allowed, chain);
    }
  }
  void drop() {
    for (const auto& [amount, chain] : capped) amount->reset();
    uncapped->reset();
  }

  std::array<std::pair<std::optional<Unit>*, Chain*>, 3> capped;
  std::optional<Unit>* uncapped;
};

}  // namespace

void post_process(Sizes& sizes, const CappingChains& cpu_notes, const CappingChains& memory_notes,
                  const ContainerSettings& container, const config::RecommenderSettings& settings) {
  const ContainerPolicy& policy = container.policy;
  Parts cpu(&Amounts::cpu, sizes, cpu_notes);
  Parts memory(&Amounts::memory, sizes, memory_notes);
  if (!policy.controls_cpu) cpu.drop();
  if (!policy.controls_memory) memory.drop();
  cpu.round(settings.round_cpu_millicores, Stage::kRounded);
  memory.round(settings.round_memory_bytes, Stage::kRounded);
  if (container.whole_cores)
    cpu.round(static_cast<std::int64_t>(kMillicoresPerCore), Stage::kWholeCores);
  cpu.cap(allowed(policy.min_allowed.cpu, policy.max_allowed.cpu, settings.max_allowed_cpu));
  memory.cap(
      allowed(policy.min_allowed.memory, policy.max_allowed.memory, settings.max_allowed_memory));
}

}  // namespace bellows::recommender
