#include "autoscaler/service/policy_observer.hpp"

#include <chrono>
#include <utility>

namespace bellows::autoscaler {
namespace {

using config::OccupiedBy;

OccupiedBy kept_by(const ObservedRevision& observed, const ScalingSpec& spec) {
  const OccupiedBy chosen = observed.listed().settings.occupied_by;
  if (chosen != OccupiedBy::kDefault) return chosen;
  return spec.policies.is_plain() ? OccupiedBy::kSaid : OccupiedBy::kServing;
}

struct Occupied {
  bool is_claimed = false;  // it reports that
  bool is_serving = false;
  bool is_unknown = false;  // ready, and it has not reported: after a restart of the autoscaler

  bool any() const { return is_claimed || is_serving; }
  bool is_kept(OccupiedBy by) const {
    return (by != OccupiedBy::kNothing && (is_claimed || is_unknown)) ||
           (by == OccupiedBy::kServing && is_serving);
  }
};

Occupied occupied(const ObservedRevision& observed, const cluster::Replica& replica) {
  const std::optional<Concurrency> load = observed.in_flight(replica.name);
  const bool is_claimed = observed.claims().is_occupied(replica.name);
  const bool is_ready = replica.phase == cluster::ReplicaPhase::kReady;
  return {.is_claimed = is_claimed,
          .is_serving = load.value_or(0) > 0,
          .is_unknown = is_ready && !load && !is_claimed};
}

/// A replica may be occupied although its probe fails; a crashed one has lost its work.
bool is_running(const cluster::Replica& replica) {
  return replica.phase == cluster::ReplicaPhase::kStarting ||
         replica.phase == cluster::ReplicaPhase::kReady;
}

void add_usage(const cluster::Revision& listed, const cluster::Replica& replica, PolicySeen& more) {
  const auto& asked = listed.settings.resources;
  const auto add = [](std::optional<Consumption>& sum, double usage, double requests) {
    if (requests <= 0) return;
    if (!sum) sum.emplace();
    sum->usage += usage;
    sum->requests += requests;
  };
  const auto cpu = replica.size.cpu ? replica.size.cpu : asked.cpu;
  const auto memory = replica.size.memory ? replica.size.memory : asked.memory;
  if (!replica.usage) return;
  if (cpu) {
    add(more.cpu, static_cast<double>(replica.usage->cpu.value) / 1000,
        static_cast<double>(cpu->value) / 1000);
  }
  if (memory) {
    add(more.memory, static_cast<double>(replica.usage->memory.value),
        static_cast<double>(memory->value));
  }
}

void add_counter(const std::optional<metrics::ReplicaCounter>& counter, PolicySeen& more) {
  if (!counter) return;
  if (!more.counter) more.counter.emplace();
  more.counter->count += counter->count;
  more.counter->capacity += counter->capacity;
  ++more.counter->replicas;
  if (counter->capacity > 0) ++more.counter->sized;
}

void add_running(const PolicyView& view, const cluster::Replica& replica, OccupiedBy by,
                 PolicySeen& more) {
  const bool is_ready = replica.phase == cluster::ReplicaPhase::kReady;
  const Occupied state = occupied(view.observed, replica);
  Rooms& rooms = more.rooms;
  ++(state.any() ? rooms.occupied : is_ready ? rooms.ready : rooms.creating);
  if (state.is_kept(by)) {
    ++more.kept;
    if (state.is_unknown) ++more.unreported;
  }
  if (!is_ready) return;
  add_usage(view.observed.listed(), replica, more);
  add_counter(view.observed.claims().counter(replica.name), more);
}

}  // namespace

void observe_policies(Observation& seen, const PolicyView& view) {
  const OccupiedBy by = kept_by(view.observed, view.spec);
  const bool is_needed = !view.spec.policies.is_plain() || !view.observed.claims().empty() ||
                         by == OccupiedBy::kServing;
  if (!is_needed) return;
  PolicySeen more;
  more.wall = std::chrono::floor<std::chrono::milliseconds>(view.wall);
  for (const cluster::ReplicaPtr& replica : view.observed.listed().replicas) {
    using Phase = cluster::ReplicaPhase;
    if (is_running(*replica)) {
      add_running(view, *replica, by, more);
    } else if (replica->phase == Phase::kPending || replica->phase == Phase::kFailed) {
      ++more.rooms.creating;
    } else if (replica->phase == Phase::kDraining) {
      ++more.rooms.terminating;
    }
  }
  if (view.answers != nullptr) {
    more.answers = view.answers->answers(view.observed.listed().id, view.now);
  }
  seen.policy = PolicySeenPtr(std::move(more));
}

std::vector<PodName> kept_replicas(const ObservedRevision& observed, const ScalingSpec& spec) {
  const OccupiedBy by = kept_by(observed, spec);
  std::vector<PodName> names;
  for (const cluster::ReplicaPtr& replica : observed.listed().replicas) {
    const bool is_kept = is_running(*replica) && occupied(observed, *replica).is_kept(by);
    if (is_kept) names.push_back(replica->name);
  }
  return names;
}

}  // namespace bellows::autoscaler
