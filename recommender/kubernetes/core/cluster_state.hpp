// The VerticalPodAutoscaler objects of a cluster with their pods, samples and recommendations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/time.hpp"
#include "cluster/kubernetes/core/label_index.hpp"
#include "config/recommender_program_settings.hpp"
#include "config/recommender_settings.hpp"
#include "kubernetes/core/pod.hpp"
#include "kubernetes/core/pod_metrics.hpp"
#include "recommender/core/workload.hpp"
#include "recommender/kubernetes/core/selector_target.hpp"
#include "recommender/kubernetes/core/vertical_autoscaler.hpp"
#include "recommender/kubernetes/core/vertical_checkpoint.hpp"

namespace bellows::recommender {

using PodPtr = std::shared_ptr<const kubernetes::Pod>;  // shared with the object store

/// The name in spec.recommenders.
inline constexpr std::string_view kRecommenderName = "bellows";

struct ClusterOptions {
  config::RecommenderSettings policies = {};
  std::string shadow_policies = {};  ///< "vpa,spike"; empty: none
  config::ObjectsOfOthers others = config::ObjectsOfOthers::kLeave;
  /// Ends of containers before this time were seen by an earlier program.
  WallTime since = {};
};

/// A recommendation that has to be written.
struct StatusWrite {
  std::string ns;
  std::string name;
  std::string patch;           ///< a merge patch of the subresource status
  bool is_comparison = false;  ///< of the object's annotations instead
};

/// VPA's ClusterState. Pure. Owner: the program. Thread: one at a time. The key of an object or a
/// pod is NAMESPACE/NAME.
class ClusterState {
 public:
  explicit ClusterState(ClusterOptions options);

  enum class Role : std::uint8_t {
    kNone,
    kCompared,  ///< another one recommends; our numbers stand beside
    kOurs,
  };
  Role role_of(const VerticalAutoscaler& object) const;

  // What watches report. nullptr: there was none, or it is gone.
  void object_changed(const VerticalPtr& before, const VerticalPtr& after, WallTime now);
  void pod_changed(const PodPtr& before, const PodPtr& after, WallTime now);
  /// Sets which pods the object `key` is about, each time that is found.
  void target_found(const std::string& key, const TargetSelector& target);

  /// Takes the samples of one pod. A measurement that was taken before, that is older than ten
  /// minutes, or that is of the future, is unknown.
  void take(const kubernetes::PodMetrics& measured, WallTime now);
  /// The samples of all pods were read once more.
  void metrics_read() { has_metrics_ = true; }

  /// Returns the objects whose checkpoints have not been read yet.
  std::vector<std::string> without_history() const;
  bool has_object(std::string_view ns, std::string_view name) const;
  /// Adds a checkpoint to the history of an object that was without; others are ignored.
  void load(std::string_view ns, const CheckpointOwner& owner, const Checkpoint& checkpoint);
  /// All checkpoints of the object were loaded.
  void history_read(const std::string& key);

  /// Joins pods whose objects have changed, and updates the recommendations.
  void recommend(WallTime now);
  /// Returns the statuses that differ from those of the server, one for each object at most.
  std::vector<StatusWrite> status_writes(WallTime now) const;

  /// Returns the objects with samples that no checkpoint has, those that were written first in
  /// front.
  std::vector<std::string> stale_checkpoints() const;
  /// Returns the checkpoints of all containers of an object; none if no policy keeps histograms.
  std::vector<CheckpointWrite> checkpoints_of(const std::string& key, WallTime now) const;
  void checkpoints_written(const std::string& key, WallTime now);
  /// Returns the checkpoints of objects that were deleted since the last call: namespace, name.
  std::vector<std::pair<std::string, std::string>> take_orphans();

  /// Returns the problems since the last call, of which each names its culprit; at most 20.
  std::vector<Error> take_problems();

  /// Explains the recommendation for a container of a pod by `policy` (empty: the chosen one).
  Result<std::vector<std::string>> explain(const std::string& pod, const ContainerName& container,
                                           const std::string& policy, WallTime now);

  struct Counters {
    std::uint64_t samples = 0;
    std::uint64_t rejected = 0;  ///< observations that were invalid
    std::uint64_t unknown = 0;   ///< pods whose measurement was too old, or of the future
  };
  const Counters& counters() const { return counters_; }
  std::optional<WallTime> newest_sample() const { return newest_; }
  /// Returns the number of objects by policy and update mode.
  std::map<std::pair<std::string, std::string>, std::size_t> objects() const;
  /// Calls `visit(key, workload)` for each object.
  template <class F>
  void each_workload(F visit) const {
    for (const auto& [key, object] : objects_) visit(key, *object.workload);
  }

 private:
  struct Object {
    VerticalPtr latest;
    std::unique_ptr<Workload> workload;
    std::string problem;                   // of its settings
    std::optional<TargetSelector> target;  // nullopt: not known yet
    std::size_t pods = 0;
    bool is_compared = false;
    bool has_history = false;
    bool has_news = false;  // since its checkpoints were written
    WallTime written = WallTime::min();
    std::int64_t told_generation = -1;  // whose unknown containers were reported
  };
  struct PodState {
    PodPtr pod;
    std::vector<std::string> objects;  // names of those that it was joined to, sorted
    WallTime measured = WallTime::min();
  };

  std::vector<config::RecommenderPolicy> policies_of(const WorkloadSettings& settings) const;
  Object* find(std::string_view ns, std::string_view name);
  void add(const VerticalPtr& object, WallTime now);
  void update(Object& object, const VerticalPtr& latest, WallTime now);
  void drop(const VerticalAutoscaler& object, bool is_deleted);
  std::vector<std::string> matching(const kubernetes::Pod& pod);
  void tell_twice(const kubernetes::Pod& pod, const std::vector<std::string>& names);
  void join(PodState& state, std::vector<std::string> names, WallTime now);
  void leave(PodState& state, const std::vector<std::string>& names, WallTime now);
  void rematch(WallTime now);
  void feed(std::string_view ns, const std::vector<std::string>& names,
            const std::vector<Observation>& observations);
  void tell_unknown_containers(const std::string& key, Object& object);
  static const std::vector<RecommendedContainer>& written(const Object& object);
  VerticalStatus wanted(const Object& object, WallTime now) const;
  std::vector<RecommendedContainer> recommended(const Object& object) const;
  void problem(Error error);

  const ClusterOptions options_;
  std::map<std::string, Object> objects_;
  std::unordered_map<std::string, PodState> pods_;
  cluster::LabelIndex index_;
  std::set<std::string> changed_namespaces_;  // whose selectors have changed since the last join
  std::set<std::string> dropped_;             // objects that are gone since then
  std::set<std::string> told_twice_;          // objects that were reported for a common pod
  std::vector<std::pair<std::string, std::string>> orphans_;
  std::vector<Error> problems_;
  bool has_metrics_ = false;
  std::optional<WallTime> newest_;
  Counters counters_;
};

}  // namespace bellows::recommender
