// Joins what the API server lists to revisions: Revision objects, their targets, pods, Services and
// the other autoscalers.
#pragma once

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

#include "base/ids.hpp"
#include "base/time.hpp"
#include "cluster/core/revision.hpp"
#include "cluster/kubernetes/core/conditions.hpp"
#include "cluster/kubernetes/core/label_index.hpp"
#include "cluster/kubernetes/core/pod_replica.hpp"
#include "cluster/kubernetes/core/pod_usage.hpp"
#include "cluster/kubernetes/core/revision_object.hpp"
#include "cluster/kubernetes/core/settings.hpp"
#include "kubernetes/core/pod.hpp"
#include "kubernetes/core/scale_target.hpp"
#include "kubernetes/core/service.hpp"

namespace bellows::cluster {

using RevisionObjectPtr = std::shared_ptr<const RevisionObject>;   // shared with the store
using TargetPtr = std::shared_ptr<const kubernetes::ScaleTarget>;  // shared with the store
using PodPtr = std::shared_ptr<const kubernetes::Pod>;             // shared with the store
using ServicePtr = std::shared_ptr<const kubernetes::Service>;     // shared with the store

/// A HorizontalPodAutoscaler or a ScaledObject.
struct OtherScaler {
  std::string kind;
  std::string ns;
  std::string name;
  std::string target;   ///< target_key()
  PodCount min = 1;     ///< of a HorizontalPodAutoscaler
  std::string made_by;  ///< the ScaledObject that made this HorizontalPodAutoscaler; or empty
  bool operator==(const OtherScaler&) const = default;
};

/// A number that we wrote, and the version of the target that has it.
struct WrittenScale {
  PodCount replicas = 0;
  std::string resource_version;
};

/// One pod of a revision.
struct Member {
  PodPtr pod;
  ReplicaPtr replica;  ///< null before the first join
  PodPtr made_from;    ///< the version of the pod that it was made from, and two settings
  std::optional<std::uint16_t> port;
  Duration progress_deadline{};
  std::optional<TimePoint> deadline;
  std::optional<Usage> usage;  ///< nullopt: unknown
};

/// All facts about one Revision.
struct Record {
  RevisionObjectPtr object;
  TargetPtr target;                       ///< null: missing
  std::map<std::string, Member> members;  ///< by the pod's name
  /// False before the first refresh(): settings, service, replicas and findings are not known yet.
  bool is_joined = false;
  config::RevisionSettings settings;                  ///< in force
  Texts settings_texts;                               ///< the same, as in status.settings
  Texts of_queue_proxies;                             ///< of these, Revision::proxy_settings
  std::vector<config::WithoutEffect> without_effect;  ///< of these, on any cluster
  config::ActivatorsAlone of_activators;              ///< of these, what activators alone enforce
  RevisionId fallback = {};                           ///< its fallback-service; empty: none
  bool misses_fallback = false;                       ///< that is no Revision
  bool is_measured = false;                           ///< the usage of its pods is known
  std::vector<Error> setting_problems;
  bool has_settings = false;
  std::optional<std::uint16_t> port;  ///< the port for requests that a user has set
  std::string service;
  std::vector<Finding> findings;
  std::optional<OtherScaler> shared_with;  ///< spec.with: hpa
  std::optional<WrittenScale> written;     ///< the last number that we wrote

  PodCount requested() const;
  /// Returns the facts for conditions, without the autoscaler's report and the results of writes.
  Standing standing() const;

 private:
  friend class Directory;
  bool settings_stale = true;
  bool is_being_written = false;
  std::string failure_message;
};

/// Turns changes into revisions. Pure. Changes of different kinds may come in any order; nothing is
/// joined before refresh(). A pod costs one look-up by its controller or its labels. A target with
/// an empty selector has no pods.
class Directory {
 public:
  /// `check` is a further condition on settings; see read_settings().
  explicit Directory(SettingsCheck check = {}) : check_(std::move(check)) {}

  void revision_changed(const RevisionObjectPtr& before, const RevisionObjectPtr& after);
  /// `kind`: "apps/Deployment", of all targets of one store.
  void target_changed(std::string_view kind, const TargetPtr& before, const TargetPtr& after);
  void pod_changed(const PodPtr& before, const PodPtr& after);
  void service_changed(const ServicePtr& before, const ServicePtr& after);
  void scaler_changed(const std::optional<OtherScaler>& before,
                      const std::optional<OtherScaler>& after);
  /// Records why no object of this kind can be scaled; empty: its list is complete. Before the
  /// first call the Revisions of the kind are not listed.
  void kind_known(std::string_view kind, std::string problem);
  /// Takes what pods use from now on. `problem`: why that is unknown, a clause; empty: it is
  /// measured. O(pods of all Revisions).
  void usages_changed(const PodUsages& usages, std::string problem);

  /// Records that a number is being written. Until scale_ended() a change of the number is
  /// attributed to nobody: the list may show our own number before the response to the write
  /// arrives.
  void scale_begins(const RevisionId& id);
  /// Records that we wrote `replicas`; the target's version is now `resource_version`.
  void scale_written(const RevisionId& id, PodCount replicas, std::string resource_version);
  /// `is_known`: false if it is unknown whether the number was written.
  void scale_ended(const RevisionId& id, bool is_known);

  /// Joins everything that has changed since the last call. The result may be equal to what is
  /// listed.
  struct Joined {
    std::vector<std::shared_ptr<Revision>> revisions;  // shared with the list once it is there
    std::vector<RevisionId> removed;
  };
  Joined refresh(const Clocks& clocks);
  /// Returns when a replica becomes late, if nothing changes until then.
  std::optional<TimePoint> next_deadline() const;

  const Record* find(const RevisionId& id) const;
  /// Returns null if there is no such Service.
  ServicePtr find_service(std::string_view ns, std::string_view name) const;
  /// Returns the Revisions whose Service it is (NAMESPACE/NAME), by id.
  std::vector<RevisionId> served_by(std::string_view service) const;
  /// Returns null if there is no such target.
  TargetPtr find_target(std::string_view target_key) const;
  /// Returns each Revision whose number another client has changed after we wrote it, once.
  std::vector<RevisionId> take_set_back() { return std::exchange(set_back_, {}); }
  /// Returns the Revisions of a target, by id.
  std::vector<RevisionId> revisions_of(std::string_view target_key) const;

 private:
  struct Target {
    TargetPtr object;
    std::set<RevisionId> revisions;
    std::map<std::string, OtherScaler> scalers;  // by kind and name
    bool empty() const { return !object && revisions.empty() && scalers.empty(); }
  };

  void touch(const RevisionId& id);
  void touch_all(const Target& target);
  void touch_users(const RevisionId& fallback);
  void set_fallback(const RevisionId& id, Record& record, const RevisionId& fallback);
  void touch_takers(std::string_view ns, const kubernetes::StringMap& selector);
  void attach(const RevisionId& id, Record& record);
  void detach(const RevisionId& id, Record& record);
  void collect_members(const RevisionId& id, Record& record);
  void index_selector(std::string_view ns, const std::string& key, const Target& target);
  void place(const PodPtr& pod);
  void remove(const PodPtr& pod);
  std::vector<std::string> targets_of(const kubernetes::Pod& pod) const;
  void noticed_replicas(const RevisionId& id, Record& record, const TargetPtr& after);

  std::shared_ptr<Revision> join(const RevisionId& id, Record& record, const Clocks& clocks);
  void join_settings(Record& record);
  void find_fallback(const RevisionId& id, Record& record);
  void join_findings(const RevisionId& id, Record& record);
  void find_service(const RevisionId& id, Record& record);
  void choose_service(Record& record);
  void index_service(const RevisionId& id, const Record& record, bool is_there);
  void join_members(const RevisionId& id, Record& record, const Clocks& clocks);
  std::shared_ptr<Revision> made(const RevisionId& id, Record& record) const;
  void set_deadline(const RevisionId& id, std::optional<TimePoint> deadline);

  SettingsCheck check_;
  std::unordered_map<RevisionId, Record> records_;
  std::unordered_map<std::string, Target> targets_;                   // by target_key()
  std::map<std::string, std::string, std::less<>> kinds_;             // problem by kind
  std::string usage_problem_ = "the usage of pods was not read yet";  // empty: it is measured
  std::map<std::string, std::map<std::string, PodPtr>> owned_pods_;   // by target_key() of owner
  std::map<std::string, std::map<std::string, PodPtr>, std::less<>> other_pods_;  // by namespace
  std::map<std::string, ServicePtr, std::less<>> services_;             // by NAMESPACE/NAME
  std::map<std::string, std::set<RevisionId>, std::less<>> served_by_;  // by NAMESPACE/NAME
  LabelIndex service_selectors_;
  LabelIndex target_selectors_;  // names are target keys
  LabelIndex above_selectors_;   // of these, those of custom resources
  std::map<std::string, std::set<RevisionId>, std::less<>> by_namespace_;
  std::unordered_map<RevisionId, std::set<RevisionId>> users_;  // by fallback-service
  std::set<RevisionId> dirty_;
  std::vector<RevisionId> set_back_;
  std::set<std::pair<TimePoint, RevisionId>> deadlines_;
  std::unordered_map<RevisionId, TimePoint> deadline_of_;
};

}  // namespace bellows::cluster
