// The replicas of one revision from the activator's view: those it uses, those that are ejected,
// and the one for the next request.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "activator/core/pick_policy.hpp"
#include "activator/core/pod_tracker.hpp"
#include "activator/core/revision_view.hpp"
#include "base/random.hpp"

namespace bellows::activator {

/// An ejected replica whose probe is due.
struct DueProbe {
  PodName replica;
  Endpoint address;
};

/// Owner: the RevisionThrottler. Pure.
class PodSet {
 public:
  /// `random` must outlive it.
  explicit PodSet(Random& random);

  /// Applies the cluster's newest list and settings. O(replicas) for a whole view, else O(changes *
  /// log replicas) while this activator does not keep to a slice.
  void update(const RevisionView& view);
  /// Sets the slots of each replica while the hard limit sets none; 0 = no limit. Replicas
  /// behind a shared address have none. It costs O(replicas) if the number changes.
  void fill_to(std::int32_t slots);
  /// Closes the replicas to new requests, because the revision was removed.
  void close();

  /// Returns a replica that can take a request now, `avoided` only if no other one can; or nullptr.
  /// O(replicas).
  PodTracker* pick(const PodName& avoided, TimePoint now);
  /// Returns the replica with the fewest requests of other callers at which one may wait for a
  /// slot, `avoided` only if it is the only one; or nullptr. O(replicas).
  PodTracker* pick_to_queue(const PodName& avoided, TimePoint now);
  /// Returns the replica of that name if it can take a request now, else nullptr. O(log replicas).
  PodTracker* pick_named(const PodName& name, TimePoint now);
  /// Returns true if the cluster lists a ready replica of that name.
  bool has(const PodName& name);

  /// Releases the slot of a request that has ended. Returns true if the outcome ejects the replica.
  bool release(PodTracker& pod, PodOutcome outcome, std::uint32_t acquired, TimePoint now) {
    const bool is_ejected = pod.release(outcome, acquired, now);
    if (is_ejected) count_all();
    if (!pod.is_listed() && pod.in_flight() == 0) erase_unlisted();
    return is_ejected;
  }

  /// Returns the due probes. `eagerly`: requests wait and no healthy replica is left. See
  /// OutlierDetector::probe_at().
  std::vector<DueProbe> due_probes(bool eagerly, TimePoint now);
  std::optional<TimePoint> next_probe(bool eagerly) const;
  /// Returns true if the replica is healthy again because of the result.
  bool end_probe(const PodName& replica, bool has_succeeded, TimePoint now);

  /// Returns when the reported load of a replica decays next, so that it may take another request.
  std::optional<TimePoint> next_report_decay(TimePoint now) const;

  /// Returns true if load reports are used to pick a replica.
  bool uses_reported_load() const { return uses_reported_load_; }
  /// Returns true if other activators send to the same slots, so that a replica may be full without
  /// this activator knowing.
  bool shares_slots() const {
    return share_.activators > 1 && container_concurrency_ > 0 && uses_reported_load_ &&
           !has_shared_address_;
  }
  /// Returns the number of replicas that the cluster lists as ready.
  std::size_t ready() const { return ready_; }
  /// Returns the number of ejected replicas among those that this activator uses.
  std::size_t ejected() const { return counts_.ejected; }
  bool all_ejected() const { return counts_.ejected > 0 && counts_.healthy == 0; }
  bool is_last_healthy(const PodTracker& pod) const;
  /// Returns the replicas ordered by name; unlisted ones stay until their last request has ended.
  Pods pods() const { return pods_; }

 private:
  using Place = std::vector<std::unique_ptr<PodTracker>>::iterator;
  struct Counts {
    std::size_t listed = 0;
    std::size_t ejected = 0;  // among those that this activator uses
    std::size_t healthy = 0;  // among those that this activator uses
  };

  void update_all(const RevisionView& view);
  void update_changed(const RevisionView& view);
  void set_policy(const config::RevisionSettings& settings);
  void set_listed(const std::vector<ReplicaView>& listed, std::int32_t slots);
  Place place_of(const PodName& name);
  /// Returns what `pick` does without the replica of that name, or else with it.
  template <class Pick>
  PodTracker* avoiding(const PodName& avoided, const Pick& pick);
  PodTracker* least_loaded_to_queue(TimePoint now);
  void unlist(const PodName& name);
  void list(const ReplicaView& replica);
  std::int32_t slots() const {
    return container_concurrency_ > 0 ? container_concurrency_ : filled_to_;
  }
  void assign_slices(ActivatorShare share);
  void erase_unlisted();
  void count(const PodTracker& pod);
  void discount(const PodTracker& pod);
  void count_all();

  Random& random_;
  config::LoadBalancing load_balancing_;
  std::int32_t container_concurrency_;
  std::int32_t filled_to_ = 0;
  bool has_shared_address_ = false;
  std::unique_ptr<PickPolicy> policy_;
  bool uses_reported_load_;
  ActivatorShare share_;
  std::vector<std::unique_ptr<PodTracker>> pods_;  // ordered by name
  std::size_t ready_ = 0;
  Counts counts_;
};

}  // namespace bellows::activator
