#include "autoscaler/service/policy_observer.hpp"

#include <chrono>
#include <utility>

namespace bellows::autoscaler {
namespace {

using config::OccupiedBy;

OccupiedBy kept_by(const PolicyView& view) {
  const OccupiedBy chosen = view.observed.listed().settings.occupied_by;
  if (chosen != OccupiedBy::kDefault) return chosen;
  return view.spec.policies.is_plain() ? OccupiedBy::kSaid : OccupiedBy::kServing;
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
}

void add_ready(const PolicyView& view, const cluster::Replica& replica, PolicySeen& more) {
  const ReplicaClaims& claims = view.observed.claims();
  const bool is_claimed = claims.is_occupied(replica.name);
  const bool is_serving = view.observed.in_flight(replica.name).value_or(0) > 0;
  ++(is_claimed || is_serving ? more.rooms.occupied : more.rooms.ready);
  const OccupiedBy kept = kept_by(view);
  const bool is_kept =
      (kept != OccupiedBy::kNothing && is_claimed) || (kept == OccupiedBy::kServing && is_serving);
  if (is_kept) ++more.kept;
  add_usage(view.observed.listed(), replica, more);
  add_counter(claims.counter(replica.name), more);
}

}  // namespace

void observe_policies(Observation& seen, const PolicyView& view) {
  const bool is_needed = !view.spec.policies.is_plain() || !view.observed.claims().empty() ||
                         kept_by(view) == OccupiedBy::kServing;
  if (!is_needed) return;
  PolicySeen more;
  more.wall = std::chrono::floor<std::chrono::milliseconds>(view.wall);
  for (const cluster::ReplicaPtr& replica : view.observed.listed().replicas) {
    switch (replica->phase) {
      case cluster::ReplicaPhase::kReady:
        add_ready(view, *replica, more);
        break;
      case cluster::ReplicaPhase::kPending:
      case cluster::ReplicaPhase::kStarting:
      case cluster::ReplicaPhase::kFailed:
        ++more.rooms.creating;
        break;
      case cluster::ReplicaPhase::kDraining:
        ++more.rooms.terminating;
        break;
      case cluster::ReplicaPhase::kGone:
        break;
    }
  }
  if (view.answers != nullptr) {
    more.answers = view.answers->answers(view.observed.listed().id, view.now);
  }
  seen.policy = PolicySeenPtr(std::move(more));
}

}  // namespace bellows::autoscaler
