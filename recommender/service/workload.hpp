// One workload with the policies that size it: the chosen one, and others in its shadow.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/recommender_settings.hpp"
#include "recommender/core/policy.hpp"
#include "recommender/service/usage_source.hpp"

namespace bellows::recommender {

/// A policy and what it said last.
struct PolicyRun {
  std::unique_ptr<Policy> policy;
  std::vector<Recommendation> last;  ///< by container

  /// nullptr: it said nothing about that container.
  const Recommendation* find(const ContainerName& container) const;
};

/// Every policy is told the same things. Owner: the service. Thread: the io thread.
class Workload {
 public:
  /// The first of `policies` is the chosen one.
  Workload(RevisionId id, std::shared_ptr<const WorkloadSettings> settings,
           const std::vector<config::RecommenderPolicy>& policies);

  const RevisionId& id() const { return id_; }
  const PolicyRun& chosen() const { return runs_.front(); }
  const std::vector<PolicyRun>& runs() const { return runs_; }

  /// The error of a policy that was told nonsense; it, and the others, go on.
  Result<void> take(const Observation& seen);

  /// Every policy anew.
  void recommend(WallTime now);

  /// What `policy` (empty: the chosen one) would say now, and beside it what it said last if that
  /// is something else. kNotFound names those that there are.
  Result<std::vector<std::string>> explain(const std::string& policy,
                                           const ContainerName& container, WallTime now);

  /// By the policy's name.
  std::map<std::string, std::string> save(WallTime now) const;
  /// A state of a policy that does not run any more is left aside.
  Result<void> restore(const std::map<std::string, std::string>& states);

 private:
  const RevisionId id_;
  std::vector<PolicyRun> runs_;
};

/// "vpa,spike" as read by the settings' form, without `chosen`, each once.
std::vector<config::RecommenderPolicy> shadow_policies(const std::string& text,
                                                       config::RecommenderPolicy chosen);

}  // namespace bellows::recommender
