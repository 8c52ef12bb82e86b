// The seam between whatever measures containers and whatever decides their size.
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
#include "recommender/core/recommendation.hpp"
#include "recommender/core/roster.hpp"
#include "recommender/core/sample.hpp"
#include "recommender/core/workload_settings.hpp"

namespace bellows::json {
class Writer;
class Object;
}  // namespace bellows::json

namespace bellows::recommender {

class History;

/// Whether something that was recorded changed what is known.
enum class Taken : std::uint8_t {
  kYes,
  kRepeated,  ///< that time was already told for that resource: counts for no histogram, as in VPA
};

/// What is said about one container and why, for people: what is known of each resource, then the
/// chain of every number.
struct Explanation {
  ContainerName container;
  std::vector<std::string> lines;
  std::optional<Sizes> sizes;  ///< that the lines end in
};

/// Decides the sizes of the containers of one workload (a service, a Deployment: replicas that are
/// alike). Owner: whoever feeds it; several policies may be fed with the same things, to compare.
/// Thread: one at a time. Pure: time comes in with what is told, and as `now`.
///
/// Whatever is wrong in what it is told is an Error (kMalformed) that names container, field and
/// value; it is then ignored and everything else stays as it was.
class Policy {
 public:
  virtual ~Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  /// "vpa", "spike" or "hybrid".
  virtual std::string_view name() const = 0;

  /// A container of a replica is there. The same two names give the same handle again. The number
  /// of container names ever seen divides the minimum of a pod.
  InstanceId enter(const PodName& replica, const ContainerName& container, WallTime now);

  /// The replica's container is gone for good. What it taught stays, for as long as the policy
  /// remembers (VpaPolicy has the rule).
  void leave(InstanceId instance);

  /// What the container has, from `at` on. Recommended sizes count as applied only when told here.
  Result<void> set_request(InstanceId instance, const Request& request, WallTime at);

  /// Times of one resource of one instance go forward: an equal one of CPU is kRepeated (of memory
  /// the higher amount counts), an older one an error.
  Result<Taken> record(InstanceId instance, const Usage& usage);
  Result<void> record(InstanceId instance, const Event& event);

  /// One per container name, sorted by it, those with mode off left out. Not const: a rule that
  /// fires once remembers that it did. Call it once per interval (a minute). `explanation`:
  /// nullptr, or of which container to explain it.
  std::vector<Recommendation> recommend(WallTime now, Explanation* explanation = nullptr);

  /// For who runs for days, after each recommend(): gives up what nothing was heard of for as long
  /// as the policy remembers. A replay does not, so that it answers as VPA's arithmetic alone does.
  virtual void forget_stale(WallTime /*now*/) {}

  /// What recommend() would say about `container` now. kNotFound with the names that there are.
  Result<Explanation> explain(const ContainerName& container, WallTime now) const;

  /// Everything that is known, as one JSON object; restore() of it, into a policy of the same name
  /// that knows nothing yet, continues as if nothing had happened.
  std::string save(WallTime now) const;
  /// On an error nothing changed.
  Result<void> restore(std::string_view saved);

  /// Whether there is anything for a checkpoint, which is made of histograms.
  bool keeps_histograms() { return history() != nullptr; }
  /// What VPA would keep of a container, to exchange with it (checkpoint.hpp has the JSON). The
  /// running memory peak is left out. kUnsupported: this policy keeps no histograms.
  Result<Checkpoint> checkpoint(const ContainerName& container, WallTime now);
  /// The memory histogram alone, with the running peaks.
  Result<HistogramCheckpoint> running_memory(const ContainerName& container);
  /// Adds what a checkpoint knows to what the container's samples teach.
  Result<void> load(const ContainerName& container, const Checkpoint& checkpoint);

  /// Policies of containers that no replica has, as errors. They are of no effect.
  std::vector<Error> policies_without_container() const;

  std::vector<ContainerName> containers() const;  ///< sorted, those with mode off too
  const Roster& roster() const { return roster_; }
  const WorkloadSettings& settings() const { return *settings_; }

 protected:
  explicit Policy(std::shared_ptr<const WorkloadSettings> settings);

  /// Target and bounds of one resource before they are rounded and capped.
  struct Estimate {
    std::int64_t target = 0;
    std::int64_t lower = 0;
    std::int64_t upper = 0;
  };
  struct Estimates {
    std::optional<Estimate> cpu;  ///< nothing: nothing to say
    std::optional<Estimate> memory;
    Reason cpu_reason;
    Reason memory_reason;
    WallTime since;
  };

  /// The chains of the bounds, for explain().
  struct BoundChains {
    Chain lower;
    Chain upper;
  };

  const ContainerSettings& container_settings(std::uint32_t container) const {
    return container_settings_[container];
  }
  /// The least that is recommended for one container: the pod's, split evenly.
  std::int64_t minimum(Resource resource) const;
  Roster& mutable_roster() { return roster_; }

 private:
  // What the policies differ in. Handles and containers are valid; amounts and times are sane.
  virtual std::unique_ptr<Policy> fresh(std::shared_ptr<const WorkloadSettings> settings) const = 0;
  virtual void on_container(std::uint32_t container) = 0;
  virtual void on_instance(InstanceId instance, WallTime now) = 0;
  virtual void on_request(InstanceId instance, const Request& before, WallTime at) = 0;
  virtual void on_usage(InstanceId instance, const Usage& usage) = 0;
  /// CPU of an instant of which there is a sample already. The histogram, if there is one, has the
  /// first; whoever asks for the highest takes the higher one.
  virtual void on_repeated(InstanceId /*instance*/, const Usage& /*usage*/) {}
  virtual Result<void> on_event(InstanceId instance, const Event& event) = 0;
  virtual Estimates estimate(std::uint32_t container, WallTime now) = 0;
  /// What is known of one resource, for explain(): the first line names it.
  virtual void describe(std::uint32_t container, Resource resource,
                        std::vector<std::string>& lines) = 0;
  virtual BoundChains bound_chains(std::uint32_t container, Resource resource,
                                   const Estimate& estimate) = 0;
  virtual void save_container(std::uint32_t container, json::Writer& line) const = 0;
  virtual void save_instance(InstanceId instance, json::Writer& line) const = 0;
  virtual Result<void> restore_container(std::uint32_t container, const json::Object& saved) = 0;
  virtual Result<void> restore_instance(InstanceId instance, const json::Object& saved) = 0;
  virtual History* history() { return nullptr; }  ///< of policies that keep one
  /// Nothing is said about it and it counts for nothing, until it is seen again.
  virtual bool is_forgotten(std::uint32_t /*container*/) const { return false; }

  Result<std::uint32_t> find(const ContainerName& container) const;
  Error no_histograms() const;
  void add_container_settings(std::uint32_t container);
  /// The chains of the bounds of both resources.
  struct Bounds {
    BoundChains cpu;
    BoundChains memory;
  };
  /// `bounds`: nullptr, or where to put their chains.
  Recommendation recommendation_for(std::uint32_t container, WallTime now,
                                    Bounds* bounds = nullptr);
  Recommendation explained(std::uint32_t container, WallTime now, Explanation& explanation);
  Result<void> restore_parts(const json::Object& saved);

  /// Times of the latest samples of one instance.
  struct Latest {
    WallTime cpu = WallTime::min();
    WallTime memory = WallTime::min();
  };

  Roster roster_;
  std::shared_ptr<const WorkloadSettings> settings_;   // shared by the policies of many workloads
  std::vector<ContainerSettings> container_settings_;  // by container
  std::vector<std::uint32_t> by_name_;                 // containers, sorted by name
  std::vector<Latest> latest_;                         // by instance
};

/// The policy that `settings.settings.policy` names, or another.
std::unique_ptr<Policy> make_policy(std::shared_ptr<const WorkloadSettings> settings);
std::unique_ptr<Policy> make_policy(config::RecommenderPolicy policy,
                                    std::shared_ptr<const WorkloadSettings> settings);

}  // namespace bellows::recommender
