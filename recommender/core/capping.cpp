#include "recommender/core/capping.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace bellows::recommender {

namespace {

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
                  const ContainerPolicy& policy) {
  Parts cpu(&Amounts::cpu, sizes, cpu_notes);
  Parts memory(&Amounts::memory, sizes, memory_notes);
  if (!policy.controls_cpu) cpu.drop();
  if (!policy.controls_memory) memory.drop();
  cpu.cap({set(policy.min_allowed.cpu), set(policy.max_allowed.cpu)});
  memory.cap({set(policy.min_allowed.memory), set(policy.max_allowed.memory)});
}

}  // namespace bellows::recommender
