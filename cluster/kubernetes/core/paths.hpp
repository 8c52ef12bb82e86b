// The paths of all Revisions: where callers' Services lead, and where they should lead. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cluster/core/path.hpp"
#include "cluster/kubernetes/core/activator_list.hpp"
#include "cluster/kubernetes/core/activator_ports.hpp"
#include "cluster/kubernetes/core/departure.hpp"
#include "cluster/kubernetes/core/directory.hpp"
#include "cluster/kubernetes/core/path_machine.hpp"
#include "cluster/kubernetes/core/path_slice.hpp"
#include "cluster/kubernetes/core/service_route.hpp"

namespace bellows::cluster {

struct PathSubject;

struct PathOptions {
  std::string activator_service;  ///< NAMESPACE/NAME; empty: paths stay as they are
  config::PortRange ports{.first = 20000, .last = 29999};
  Duration settle = std::chrono::seconds(3);
  bool has_last_resort = true;
  bool are_on_each_node = false;  ///< activators
};

/// A slice to be written.
struct SliceWrite {
  enum class Kind : std::uint8_t { kCreate, kReplace, kDelete };
  Kind kind = Kind::kCreate;
  std::string ns;
  std::string name;
  std::string uid;   ///< of kDelete
  std::string body;  ///< of the others
  bool operator==(const SliceWrite&) const = default;
};

/// Returns the deletion of a slice.
SliceWrite deletion_of(const kubernetes::EndpointSlice& slice);

/// An activator that has not answered yet on the port of a Revision.
struct PathProbe {
  PodName activator;
  std::string address;
  std::uint16_t port = 0;
  bool operator==(const PathProbe&) const = default;
};

/// The actions that are due for one Revision, and its condition.
struct PathStep {
  Path path;
  Routed routed;  ///< of the condition
  std::vector<SliceWrite> writes;
  std::vector<PathProbe> probes;
  std::optional<TimePoint> again;
  /// Its object is deleted and it is at zero: it is set to this number.
  std::optional<PodCount> restore;
};

/// Owner: PathKeeper. step() looks at one Revision alone, so a change costs as much as one pod.
class Paths {
 public:
  explicit Paths(PathOptions options) : options_(std::move(options)), ports_(options_.ports) {}

  void use(SliceFeatures features) { features_ = features; }
  /// Makes the CustomResourceDefinition of Revisions the owner of the slices.
  void own_by(std::string crd_uid) { crd_uid_ = std::move(crd_uid); }
  /// Unless paths stay, Bellows leaves the cluster, and each is given back as that of a deleted
  /// Revision is.
  void leave(PathsEnd end) { end_ = end; }
  void slice_changed(const SlicePtr& before, const SlicePtr& after);
  /// Records a change. The port of a Revision, and the resting ports in its status, count from its
  /// first listing on.
  void revision_changed(const RevisionObject& revision, const Clocks& clocks);
  void order(const RevisionId& id, PathOrder order);
  /// Records that it is to go to zero: until that is over activators join, whatever the order says.
  void want_zero(const RevisionId& id, bool is_wanted);
  /// Records that the activator answers at that address on the Revision's port; `problem`: why not.
  void probed(const RevisionId& id, const PathProbe& probe, std::string problem);
  /// Restarts all waits: the server could not be reached.
  void start_anew();

  /// Decides what is due. `record`: of the Directory. `service`: the one that it names, or null.
  /// `is_shared`: another Revision has the same one.
  PathStep step(const RevisionId& id, const Record& record, const kubernetes::Service* service,
                bool is_shared, TimePoint now);
  /// Returns the path for a reader that writes nothing: an activator.
  Path listed(const RevisionId& id, const Record& record) const;
  /// Returns the writes with which the activator `self`, which ends, takes itself out of the path.
  /// If nobody else would take the requests, ready activators take its place; if there are none, it
  /// stays.
  std::vector<SliceWrite> handed_over(const RevisionId& id, const PodName& self) const;
  /// Returns the writes with which an activator takes those whose pod is gone out of the path, and
  /// puts the ready ones in if no other is left (without_gone()).
  std::vector<SliceWrite> repaired(const RevisionId& id) const;
  void forget(const RevisionId& id, const Clocks& clocks);
  /// Returns the released ports that are not assigned yet, for the next autoscaler.
  std::map<std::uint16_t, WallTime> resting_ports(TimePoint now) const;

  const ServiceSlices& slices() const { return slices_; }
  const ActivatorList& activators() const { return activators_; }
  /// Returns an object in place of a deleted Revision while a slice of ours is left; null: none is.
  RevisionObjectPtr stand_in(const RevisionId& id) const;
  bool is_on() const { return !options_.activator_service.empty(); }

 private:
  struct Entry {
    explicit Entry(Duration settle) : machine(settle) {}
    PathMachine machine;
    std::optional<PathOrder> order;
    std::map<PodName, std::string> answering;  // activators, with the address that answered
    std::string probe_problem;
    bool wants_zero = false;
    bool takes_all = false;  // ServiceRoute::is_local, so the order's activators do not suffice
  };

  Entry& entry(const RevisionId& id);
  std::vector<const Activator*> candidates(const Entry& entry) const;
  PathFacts facts_of(const Entry& entry, const PathSubject& subject) const;
  void give_port(PathSubject& subject, TimePoint now);
  std::vector<kubernetes::SliceEndpoint> activator_endpoints(const PathWish& wish,
                                                             const PathSubject& subject) const;
  std::vector<kubernetes::SliceEndpoint> pod_endpoints(const PathSubject& subject) const;
  SliceWrite replaced(const kubernetes::EndpointSlice& listed,
                      std::vector<kubernetes::SliceEndpoint> endpoints) const;
  void plan_slice(PathStep& step, const PathWish& wish, const PathSubject& subject) const;
  void plan_deletion(PathStep& step, const PathSubject& subject) const;
  void plan_others(PathStep& step, const PathSubject& subject) const;
  void plan_probes(PathStep& step, const Entry& entry, const PathFacts& facts,
                   const PathSubject& subject) const;
  void finish_without_service(PathStep& step, const PathSubject& subject) const;
  std::string reason_of(const Entry& entry) const;
  Routed routed(const Entry& entry, const PathSubject& subject, const PathFacts& facts) const;

  PathOptions options_;
  SliceFeatures features_;
  std::string crd_uid_;
  PathsEnd end_ = PathsEnd::kStay;
  ServiceSlices slices_;
  ActivatorList activators_;
  ActivatorPorts ports_;
  std::map<std::uint16_t, WallTime> taken_back_;  // whole seconds, of ports that rest or rested
  std::map<RevisionId, Entry> entries_;
};

}  // namespace bellows::cluster
