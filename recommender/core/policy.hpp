// The interface between usage sources and the policies that decide sizes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "config/recommender_settings.hpp"
#include "recommender/core/checkpoint.hpp"
#include "recommender/core/instance_registry.hpp"
#include "recommender/core/policy_parts.hpp"
#include "recommender/core/recommendation.hpp"
#include "recommender/core/sample.hpp"
#include "recommender/core/workload_settings.hpp"

namespace bellows::json {
class Object;
}  // namespace bellows::json

namespace bellows::recommender {

class History;

/// Returns "vpa", "spike" or "hybrid".
std::string_view policy_name(config::RecommenderPolicy kind);

/// Result of recording a sample.
enum class RecordResult : std::uint8_t {
  kRecorded,
  kDuplicate,  ///< a CPU sample of that time exists: this one enters no histogram, as in VPA
};

/// A recommendation for one container, for people: the data about each resource, then the chain of
/// every number.
struct Explanation {
  ContainerName container;
  std::vector<std::string> lines;
  std::optional<Sizes> sizes;  ///< the recommendation that the lines explain
};

/// Decides the sizes of the containers of one workload (a service, a Deployment: replicas that are
/// alike). Pure: time is an argument of each sample, and of each call as `now`. Owner: the caller;
/// several policies may get the same samples, to compare them. Thread: one at a time.
///
/// An invalid sample, request or event is an Error (kMalformed) that names container, field and
/// value; it is ignored and everything else stays.
class Policy : private PolicyBookkeeping,
               private PolicyRule,
               private PolicyCheckpoint,
               private PolicyExplanation {
 public:
  ~Policy() override = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  config::RecommenderPolicy kind() const { return kind_; }
  /// Returns "vpa", "spike" or "hybrid".
  std::string_view name() const { return policy_name(kind_); }

  /// Adds a container of a replica. The same two names return the same handle. The number of
  /// container names ever added divides the minimum of a pod.
  InstanceId add_instance(const PodName& replica, const ContainerName& container, WallTime now);

  /// Removes a container that will not return. What was learned from it stays for as long as the
  /// policy remembers (VpaPolicy has the rule).
  void remove_instance(InstanceId instance);

  /// Sets the request of the container from `at` on. A recommended size counts as applied only when
  /// it is set here.
  Result<void> set_request(InstanceId instance, const Request& request, WallTime at);

  /// Records a sample. Times of one resource of one instance increase: an equal time is kDuplicate
  /// for CPU (for memory the higher amount counts), an older one an error.
  Result<RecordResult> record(InstanceId instance, const Usage& usage);
  Result<void> record(InstanceId instance, const Event& event);

  /// Returns one recommendation per container name, sorted by it, without those with mode off. It
  /// is not const, because a rule that fires once remembers that. Call it once per interval (a
  /// minute). `explanation`: nullptr, or the container to explain.
  std::vector<Recommendation> recommend(WallTime now, Explanation* explanation = nullptr);

  /// Takes the targets of `earlier` and, if both keep histograms, its history as a prior, which own
  /// samples outweigh within hours. It is for a policy without samples: that of the next revision
  /// of a service, or of the same service after a change of its policy.
  void begin_after(Policy& earlier, WallTime now);

  /// Begins with an earlier recommendation for a container without samples.
  void begin_with(const ContainerName& container, const PriorTarget& prior, WallTime now);

  /// Adds the replicas of `earlier`, with their requests and starts.
  void take_replicas(const Policy& earlier);

  /// Replaces the policies of containers from the settings; they take effect with the next
  /// recommend().
  void set_container_policies(std::vector<ContainerPolicy> policies);

  using PolicyRule::forget_stale;

  /// Returns what recommend() would return for `container` now. kNotFound names the known
  /// containers.
  Result<Explanation> explain(const ContainerName& container, WallTime now) const;

  /// Returns the whole state as one JSON object. restore() of it, into an empty policy of the same
  /// name, continues without a difference.
  std::string save(WallTime now) const;
  /// Restores a state. After an error nothing has changed.
  Result<void> restore(std::string_view saved);

  /// Returns true if there are histograms, of which VPA's checkpoints consist.
  bool keeps_histograms() const { return history_ != nullptr; }
  /// Returns VPA's checkpoint of a container, for exchange (checkpoint.hpp has the JSON), without
  /// the current memory peak. kUnsupported: this policy keeps no histograms.
  Result<Checkpoint> checkpoint(const ContainerName& container, WallTime now);
  /// Returns only the memory histogram, with the current peaks.
  Result<HistogramCheckpoint> running_memory(const ContainerName& container);
  /// Adds the history of a checkpoint to that of the container's samples.
  Result<void> load(const ContainerName& container, const Checkpoint& checkpoint);

  /// Returns the policies of containers that no replica has, as errors. They have no effect.
  std::vector<Error> policies_without_container() const;

  std::vector<ContainerName> containers() const;  ///< sorted, those with mode off too
  const InstanceRegistry& registry() const { return registry_; }
  const WorkloadSettings& settings() const { return *settings_; }

 protected:
  /// `history` stores what the policy learns; nullptr if it keeps no histograms.
  Policy(config::RecommenderPolicy kind, std::shared_ptr<const WorkloadSettings> settings,
         History* history);

  const ContainerSettings& container_settings(std::uint32_t container) const {
    return container_settings_[container];
  }
  /// Returns the minimum of one container: that of the pod, split evenly.
  std::int64_t minimum(Resource resource) const;

 private:
  Result<std::uint32_t> find(const ContainerName& container) const;
  std::uint32_t container_named(const ContainerName& container);
  Error no_histograms() const;
  void add_container_settings(std::uint32_t container);
  /// The chains of the bounds of both resources.
  struct Bounds {
    BoundChains cpu;
    BoundChains memory;
  };
  /// Makes a recommendation. `bounds` is nullptr, or the destination of the chains of the bounds.
  Recommendation recommendation_for(std::uint32_t container, WallTime now,
                                    Bounds* bounds = nullptr);
  Recommendation explained(std::uint32_t container, WallTime now, Explanation& explanation);
  Result<void> restore_parts(const json::Object& saved);

  /// Times of the latest samples of one instance.
  struct Latest {
    WallTime cpu = WallTime::min();
    WallTime memory = WallTime::min();
  };

  const config::RecommenderPolicy kind_;
  InstanceRegistry registry_;
  std::shared_ptr<const WorkloadSettings> settings_;  // shared by the policies of many workloads
  std::vector<ContainerPolicy> container_policies_;   // those of the settings, or their replacement
  History* const history_;                            // owned by the derived class
  std::vector<ContainerSettings> container_settings_;  // by container
  std::vector<std::uint32_t> by_name_;                 // containers, sorted by name
  std::vector<Latest> latest_;                         // by instance
};

/// Makes the policy that `settings.settings.policy` names, or another.
std::unique_ptr<Policy> make_policy(std::shared_ptr<const WorkloadSettings> settings);
std::unique_ptr<Policy> make_policy(config::RecommenderPolicy policy,
                                    std::shared_ptr<const WorkloadSettings> settings);

}  // namespace bellows::recommender
