#include "autoscaler/service/path_applier.hpp"

#include <algorithm>
#include <utility>

namespace bellows::autoscaler {

PathApplier::PathApplier(cluster::Cluster& cluster, ActivatorStreams& streams)
    : cluster_(cluster), streams_(streams) {}

void PathApplier::activators_changed() {
  const std::vector<cluster::Activator>& listed = cluster_.activators();
  usable_.clear();
  for (const cluster::Activator& activator : listed) {
    if (activator.is_ready && streams_.may_ask(activator.name)) usable_.push_back(activator.name);
  }
  streams_.keep([&](const PodName& name) {
    return std::ranges::find(listed, name, &cluster::Activator::name) != listed.end();
  });
}

void PathApplier::decided(const RevisionId& revision, const Decision& decision) {
  if (cluster_.activators().empty() || decision.seen.is_retired) return;
  Asked& asked = asked_[revision];
  cluster::PathOrder order = wanted_path(decision, revision, usable_, asked.memory);
  if (asked.order == order) return;
  asked.order = order;
  cluster_.route(revision, std::move(order));
}

}  // namespace bellows::autoscaler
