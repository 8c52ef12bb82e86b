#include "base/check.hpp"
#include "recommender/core/hybrid_policy.hpp"
#include "recommender/core/policy.hpp"
#include "recommender/core/spike_policy.hpp"
#include "recommender/core/vpa_policy.hpp"

namespace bellows::recommender {

std::string_view policy_name(config::RecommenderPolicy kind) {
  switch (kind) {
    case config::RecommenderPolicy::kVpa:
      return "vpa";
    case config::RecommenderPolicy::kSpike:
      return "spike";
    case config::RecommenderPolicy::kHybrid:
      return "hybrid";
  }
  return {};
}

std::unique_ptr<Policy> make_policy(std::shared_ptr<const WorkloadSettings> settings) {
  const config::RecommenderPolicy policy = settings->settings.policy;
  return make_policy(policy, std::move(settings));
}

std::unique_ptr<Policy> make_policy(config::RecommenderPolicy policy,
                                    std::shared_ptr<const WorkloadSettings> settings) {
  switch (policy) {
    case config::RecommenderPolicy::kVpa:
      return std::make_unique<VpaPolicy>(std::move(settings));
    case config::RecommenderPolicy::kSpike:
      return std::make_unique<SpikePolicy>(std::move(settings));
    case config::RecommenderPolicy::kHybrid:
      return std::make_unique<HybridPolicy>(std::move(settings));
  }
  check_failed(__FILE__, __LINE__, "policy", "every policy has a case");
}

}  // namespace bellows::recommender
