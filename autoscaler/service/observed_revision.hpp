// One revision as the stat stream and the cluster show it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autoscaler/core/activator_queues.hpp"
#include "autoscaler/core/learned_start.hpp"
#include "autoscaler/core/load_windows.hpp"
#include "autoscaler/core/observation.hpp"
#include "cluster/api.hpp"
#include "metrics/stat.hpp"

namespace bellows::autoscaler {

/// Puts windows, the activators' queues and the cluster's list together. Owner: the registry.
/// Thread: the io thread.
class ObservedRevision {
 public:
  /// A source that is silent for `dead_after` counts as gone.
  ObservedRevision(std::shared_ptr<const cluster::Revision> listed, Duration dead_after);

  /// The cluster lists it differently now; changed windows keep their history.
  void update(std::shared_ptr<const cluster::Revision> listed);

  metrics::Booking record(const metrics::Stat& stat, TimePoint now);
  void record(const metrics::Wake& wake, TimePoint now);

  Observation observe(TimePoint now);

  /// Ready replicas, the least busy first; of equals the one with the youngest start first.
  std::vector<PodName> idle_first() const;

  /// What the replica said last it had in flight; nothing if it never said.
  std::optional<Concurrency> in_flight(const PodName& replica) const;

  /// Activators that spoke of it lately, by name.
  std::vector<std::string> activators(TimePoint now) const { return queues_.heard(now); }

  const cluster::Revision& listed() const { return *listed_; }

 private:
  void learn_starts(const cluster::Revision* before);
  /// `reporting` replicas are in the stat stream.
  void count_replicas(Observation& seen, PodCount reporting, TimePoint now) const;

  std::shared_ptr<const cluster::Revision> listed_;  // shared with the cluster's snapshots
  LoadWindows windows_;
  LearnedStart start_;
  ActivatorQueues queues_;
};

}  // namespace bellows::autoscaler
