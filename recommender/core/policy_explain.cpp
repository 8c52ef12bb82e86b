// The output of `recommender explain`: the known data, then the chain of every number.
#include <optional>

#include "recommender/core/policy.hpp"

namespace bellows::recommender {

namespace {

/// The numbers of one resource.
struct Numbers {
  std::optional<double> target;
  std::optional<double> uncapped_target;
};

template <class Unit>
Numbers numbers_of(std::optional<Unit> Amounts::*resource, const std::optional<Sizes>& sizes) {
  if (!sizes || !(sizes->target.*resource)) return {};
  return {static_cast<double>((sizes->target.*resource)->value),
          static_cast<double>((sizes->uncapped_target.*resource)->value)};
}

}  // namespace

Recommendation Policy::explained(std::uint32_t container, WallTime now, Explanation& explanation) {
  Bounds bounds;
  Recommendation recommendation = recommendation_for(container, now, &bounds);
  explanation = {recommendation.container, {}, recommendation.sizes};
  const ContainerPolicy& policy = container_settings_[container].policy;
  const auto add = [&](Resource resource, const Reason& reason, const BoundChains& chains,
                       const Numbers& numbers, bool is_controlled) {
    std::vector<std::string>& lines = explanation.lines;
    describe(container, resource, lines);
    if (!is_controlled) {
      lines.emplace_back("  nothing is recommended: controlled-resources leaves it out");
    } else if (!numbers.target) {
      lines.push_back("  nothing is recommended: " + to_string(reason, resource));
    } else {
      lines.push_back("  target: " + to_string(reason, resource));
      lines.push_back("  lower bound: " + to_string(chains.lower, resource));
      lines.push_back("  upper bound: " + to_string(chains.upper, resource));
      lines.push_back("  uncapped target: " + amount_text(*numbers.uncapped_target, resource));
    }
  };
  add(Resource::kCpu, recommendation.cpu, bounds.cpu,
      numbers_of(&Amounts::cpu, recommendation.sizes), policy.controls_cpu);
  add(Resource::kMemory, recommendation.memory, bounds.memory,
      numbers_of(&Amounts::memory, recommendation.sizes), policy.controls_memory);
  return recommendation;
}

Result<Explanation> Policy::explain(const ContainerName& container, WallTime now) const {
  BELLOWS_TRY(const std::uint32_t index, find(container));
  Explanation explanation{container, {}, {}};
  if (container_settings_[index].policy.is_off) {
    explanation.lines = {"nothing is recommended: its container policy has mode off"};
  } else if (is_forgotten(index)) {
    explanation.lines = {"nothing is recommended: nothing was seen of it for too long"};
  } else {
    // A rule that fires changes its state, so a copy of the policy is used.
    const std::unique_ptr<Policy> copy = make_policy(kind_, settings_);
    copy->set_container_policies(container_policies_);
    BELLOWS_CHECKED(copy->restore(save(now)));
    copy->recommend(now, &explanation);
  }
  return explanation;
}

}  // namespace bellows::recommender
