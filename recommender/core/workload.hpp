// One workload with the policies that size it: the chosen one, and shadow policies.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/recommender_settings.hpp"
#include "config/resources_settings.hpp"
#include "recommender/core/observation.hpp"
#include "recommender/core/policy.hpp"

namespace bellows::recommender {

/// A policy and its last recommendations.
struct PolicyRun {
  std::unique_ptr<Policy> policy;
  std::vector<Recommendation> last;  ///< by container

  /// Returns nullptr if there is no recommendation for that container.
  const Recommendation* find(const ContainerName& container) const;
};

/// Every policy gets the same observations. Pure. Owner: a service. Thread: one at a time.
class Workload {
 public:
  /// The first of `policies` is the chosen one.
  Workload(RevisionId id, std::shared_ptr<const WorkloadSettings> settings,
           const std::vector<config::RecommenderPolicy>& policies);

  /// Runs `policies` from now on, of which the first is the chosen one. Policies that run already
  /// continue; a new one begins with the data of the previous chosen one.
  void run(const std::vector<config::RecommenderPolicy>& policies, WallTime now);

  /// Sets the policies of its containers for all of its policies; they take effect with the next
  /// recommend().
  void limit(std::vector<ContainerPolicy> containers);

  /// Continues with other settings, container policies included. Returns the first error of a
  /// policy that cannot; it keeps its settings.
  Result<void> change(std::shared_ptr<const WorkloadSettings> settings, WallTime now);

  /// Begins with an earlier recommendation for a container of which nothing was observed, but where
  /// VPA's arithmetic forgets it too. Call it before the first observation.
  void begin_with(const ContainerName& container, const PriorTarget& prior, WallTime now);

  /// Begins each policy with the data of `earlier`: of the same kind if that ran there, else of the
  /// chosen one. Call it before the first observation.
  void begin_after(Workload& earlier, WallTime now);

  const RevisionId& id() const { return id_; }
  const PolicyRun& chosen() const { return runs_.front(); }
  const std::vector<PolicyRun>& runs() const { return runs_; }

  /// Passes the observation to every policy. Returns the first error of a policy.
  Result<void> take(const Observation& observation);

  /// Updates the recommendations of every policy.
  void recommend(WallTime now);

  /// Returns what `policy` (empty: the chosen one) would recommend now, and its last recommendation
  /// if that differs. kNotFound names the policies.
  Result<std::vector<std::string>> explain(const std::string& policy,
                                           const ContainerName& container, WallTime now);

  /// Returns the states by the policy's name.
  std::map<std::string, std::string> save(WallTime now) const;
  /// Ignores states of policies that do not run any more.
  Result<void> restore(const std::map<std::string, std::string>& states);

 private:
  PolicyRun* find(config::RecommenderPolicy policy);

  const RevisionId id_;
  std::shared_ptr<const WorkloadSettings> settings_;  // shared with every policy
  std::vector<ContainerPolicy> containers_;           // as of limit()
  std::vector<PolicyRun> runs_;
};

/// Returns the container policy from the settings of a service.
ContainerPolicy container_policy(const config::ResourcesSettings& resources);

/// Returns the policy that sizes a service; `otherwise` is the one of the program.
config::RecommenderPolicy policy_of(const config::ResourcesSettings& resources,
                                    config::RecommenderPolicy otherwise);

/// Returns the policies of a validated list such as "vpa,spike", without `chosen`, each once.
std::vector<config::RecommenderPolicy> shadow_policies(const std::string& text,
                                                       config::RecommenderPolicy chosen);

}  // namespace bellows::recommender
