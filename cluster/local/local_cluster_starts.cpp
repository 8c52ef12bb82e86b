// The starts of replicas: new ones, and those that replace others.
#include <algorithm>
#include <utility>

#include "base/sys/descriptor_reserve.hpp"
#include "base/sys/log.hpp"
#include "cluster/local/local_cluster.hpp"

namespace bellows::cluster {

namespace log = sys::log;

/// Returns true if it is the port of a service: no other app gets it.
bool LocalCluster::is_port_kept(std::uint16_t port) const {
  return std::ranges::any_of(revisions_,
                             [port](const auto& entry) { return entry.second.port() == port; });
}

/// Returns true if a replica has the fixed port of the revision: one of its own, or of another
/// revision of its service.
bool LocalCluster::is_port_busy(const LocalRevision& revision) {
  if (revision.port() == 0) return false;
  bool is_busy = false;
  for_each_revision([&](const LocalRevision& other) {
    is_busy = is_busy || (other.port() == revision.port() && !other.replicas.empty());
  });
  return is_busy;
}

Result<PortLease> LocalCluster::lease_port(const LocalRevision& revision) {
  if (revision.port() != 0) return PortAllocator::lease_fixed(revision.port());
  return ports_.lease([this](std::uint16_t each) { return is_port_kept(each); });
}

/// Adds the replicas that are requested and not there. One with a fixed port waits until the
/// replica before it has gone.
Result<void> LocalCluster::fill(LocalRevision& revision) {
  while (revision.staying() < revision.requested) {
    if (is_port_busy(revision)) {
      waiting_.insert(revision.id());
      return {};
    }
    BELLOWS_CHECKED(add_replica(revision));
  }
  return {};
}

void LocalCluster::fill_waiting() {
  if (stage_ != ShutdownStage::kServing) return;
  for (const RevisionId& id : std::exchange(waiting_, {})) {
    const auto found = revisions_.find(id);
    if (found == revisions_.end()) continue;
    if (const auto filled = fill(found->second); !filled) {
      log::warning("replica not started", {{"service", found->second.declared.service().text()},
                                           {"revision", id.text()},
                                           {"error", to_string(filled.error())}});
    }
    publish(id);
  }
}

Result<void> LocalCluster::add_replica(LocalRevision& revision) {
  const RevisionId& id = revision.id();
  BELLOWS_CHECKED(check_room(id, sys::descriptor_limit(), sys::reserved_descriptors()));
  BELLOWS_TRY(PortLease port, lease_port(revision));
  BELLOWS_TRY(PortLease admin_port,
              ports_.lease([this](std::uint16_t each) { return is_port_kept(each); }));
  BELLOWS_CHECKED(revision.prepare());
  PodName name(id.text() + "-" + std::to_string(revision.next_number++));
  revision.replicas.push_back(std::make_unique<LocalReplica>(
      io_, clock_, random_, *revision.running, programs_, revision.resources, *revision.output,
      name, std::move(port), std::move(admin_port), [this, id] { publish_soon(id); }));
  if (is_leaving_) revision.replicas.back()->stay();
  start_queue_.add({id, std::move(name)});
  return {};
}

/// Replaces a replica whose queue-proxy another process has signalled: it finishes its requests but
/// takes no new ones.
void LocalCluster::replace_departed(LocalRevision& revision) {
  const auto departed = std::ranges::count_if(
      revision.replicas, [](const auto& replica) { return replica->take_departure(); });
  if (is_leaving_ || stage_ != ShutdownStage::kServing) return;
  if (departed == 0) return;
  if (const auto added = fill(revision); !added) {
    log::warning("replica not replaced", {{"service", revision.declared.service().text()},
                                          {"revision", revision.id().text()},
                                          {"error", to_string(added.error())}});
  }
}

void LocalCluster::advance_restart(LocalRevision& revision) {
  using What = RollingRestart::Step::What;
  while (true) {
    const auto step = revision.restart.next(revision.oldest_first(), revision.requested);
    if (step.what == What::kNone) return;
    if (step.what == What::kDrain) {
      revision.find(step.replica)->drain();
    } else if (const auto added = add_replica(revision); !added) {
      revision.restart.cancel();
      log::warning("restart ends early", {{"service", revision.declared.service().text()},
                                          {"revision", revision.id().text()},
                                          {"error", to_string(added.error())}});
    }
  }
}

}  // namespace bellows::cluster
