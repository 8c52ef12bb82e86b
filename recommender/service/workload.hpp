// One workload with the policies that size it: the chosen one, and shadow policies.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/recommender_settings.hpp"
#include "config/resources_settings.hpp"
#include "recommender/core/policy.hpp"
#include "recommender/service/usage_source.hpp"

namespace bellows::recommender {

/// A policy and its last recommendations.
struct PolicyRun {
  std::unique_ptr<Policy> policy;
  std::vector<Recommendation> last;  ///< by container

  /// nullptr: no recommendation for that container.
  const Recommendation* find(const ContainerName& container) const;
};

/// Every policy gets the same observations. Owner: the service. Thread: the io thread.
class Workload {
 public:
  /// The first of `policies` is the chosen one.
  Workload(RevisionId id, std::shared_ptr<const WorkloadSettings> settings,
           const std::vector<config::RecommenderPolicy>& policies);

  /// Runs `policies` from now on, of which the first is the chosen one. Those that run already go
  /// on; a new one begins with what the chosen one so far knows.
  void run(const std::vector<config::RecommenderPolicy>& policies, WallTime now);

  /// The policies of its containers, for all of its policies; in force with the next recommend().
  void limit(const ContainerPolicy& containers);

  /// Each policy begins with what `earlier` knows: with its own kind if that ran there, else with
  /// the chosen one. Before the first observation.
  void begin_after(Workload& earlier, WallTime now);

  const RevisionId& id() const { return id_; }
  const PolicyRun& chosen() const { return runs_.front(); }
  const std::vector<PolicyRun>& runs() const { return runs_; }

  /// The first error of a policy; every policy gets the observation.
  Result<void> take(const Observation& observation);

  /// Updates the recommendations of every policy.
  void recommend(WallTime now);

  /// What `policy` (empty: the chosen one) would recommend now, and its last recommendation if that
  /// differs. kNotFound names the policies.
  Result<std::vector<std::string>> explain(const std::string& policy,
                                           const ContainerName& container, WallTime now);

  /// By the policy's name.
  std::map<std::string, std::string> save(WallTime now) const;
  /// Ignores states of policies that do not run any more.
  Result<void> restore(const std::map<std::string, std::string>& states);

 private:
  PolicyRun* find(config::RecommenderPolicy policy);

  const RevisionId id_;
  const std::shared_ptr<const WorkloadSettings> settings_;  // shared with every policy
  ContainerPolicy containers_;
  std::vector<PolicyRun> runs_;
};

/// What the settings of a service say of its containers.
ContainerPolicy container_policy(const config::ResourcesSettings& resources);

/// The policy that sizes a service; `otherwise`: the one of the program.
config::RecommenderPolicy policy_of(const config::ResourcesSettings& resources,
                                    config::RecommenderPolicy otherwise);

/// The policies of a validated list such as "vpa,spike", without `chosen`, each once.
std::vector<config::RecommenderPolicy> shadow_policies(const std::string& text,
                                                       config::RecommenderPolicy chosen);

}  // namespace bellows::recommender
