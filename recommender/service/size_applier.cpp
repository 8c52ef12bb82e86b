#include "recommender/service/size_applier.hpp"

#include <algorithm>
#include <utility>

#include "base/sys/log.hpp"
#include "recommender/service/cluster_source.hpp"

namespace bellows::recommender {

namespace {

bool is_sized(const cluster::Revision& service) {
  return service.settings.resources.mode != config::ResourcesMode::kOff && !service.retired;
}

Request request_of(const cluster::Replica& replica, const config::ResourcesSettings& settings) {
  const ReplicaSize& size = replica.size;
  return {size.cpu.value_or(settings.cpu.value_or(Millicores{})),
          size.memory.value_or(settings.memory.value_or(Bytes{}))};
}

/// Ended at least once and not ready since.
bool is_down(const cluster::Replica& replica) {
  const bool waits_for_start = replica.phase == cluster::ReplicaPhase::kFailed;
  return waits_for_start ||
         (replica.restarts > 0 && replica.phase != cluster::ReplicaPhase::kReady);
}

}  // namespace

SizeApplier::SizeApplier(cluster::Cluster& cluster, cluster::SizeWriter& writer,
                         const sys::Clock& clock, Surroundings surroundings)
    : cluster_(cluster), writer_(writer), clock_(clock), surroundings_(std::move(surroundings)) {}

std::vector<Observation> SizeApplier::requests(WallTime now) {
  std::vector<Observation> changed;
  std::map<PodName, Request> present;
  std::map<PodName, TimePoint> resized;
  const cluster::SnapshotPtr snapshot = cluster_.snapshot();
  for (const auto& service : snapshot->revisions) {
    if (!is_sized(*service)) continue;
    for (const cluster::Replica& replica : service->replicas) {
      const Request request = request_of(replica, service->settings.resources);
      present[replica.name] = request;
      if (const auto at = resized_.find(replica.name); at != resized_.end()) resized.insert(*at);
      const auto told = told_.find(replica.name);
      if (told != told_.end() && told->second == request) continue;
      changed.push_back({service->id, replica.name, kApp, now, request});
    }
  }
  told_ = std::move(present);
  resized_ = std::move(resized);
  return changed;
}

std::shared_ptr<const cluster::Revision> SizeApplier::listed(const std::string& name) const {
  const cluster::SnapshotPtr snapshot = cluster_.snapshot();
  for (const auto& service : snapshot->revisions) {
    const bool has_replica = std::ranges::any_of(
        service->replicas,
        [&](const cluster::Replica& replica) { return replica.name.text() == name; });
    if (service->id.text() == name || has_replica) return service;
  }
  return nullptr;
}

http::Awaitable<void> SizeApplier::apply(const WorkloadBook& book) {
  const cluster::SnapshotPtr snapshot = cluster_.snapshot();  // held while we wait
  for (const auto& service : snapshot->revisions) {
    if (!is_sized(*service)) continue;
    const SizingInput input = input_for(*service, book);
    co_await carry_out(service->id, plan_sizes(input, clock_.now()));
  }
}

SizingInput SizeApplier::input_for(const cluster::Revision& service,
                                   const WorkloadBook& book) const {
  SizingInput input;
  input.settings = service.settings.resources;
  input.settle = service.settings.window;
  input.scaling = surroundings_.scaling(service.id);
  input.cannot_write = writer_.cannot_write();
  if (const SizingState* state = find(service.id)) input.for_new = state->for_new;
  const Workload* workload = book.find(service.id);
  const Recommendation* said = workload ? workload->chosen().find(kApp) : nullptr;
  if (said != nullptr && said->sizes) input.advice = *said->sizes;
  for (const cluster::Replica& replica : service.replicas) {
    SizedReplica sized{.name = replica.name, .size = replica.size};
    sized.memory_use = surroundings_.memory_use(service.id, replica.name);
    sized.is_down = is_down(replica);
    sized.is_leaving = replica.phase == cluster::ReplicaPhase::kDraining;
    if (const auto at = resized_.find(replica.name); at != resized_.end()) {
      sized.resized = at->second;
    }
    input.replicas.push_back(std::move(sized));
  }
  return input;
}

http::Awaitable<void> SizeApplier::carry_out(RevisionId service, SizingPlan plan) {
  SizingState& state = states_[service];
  state.note = plan.note;
  if (!plan.for_new.empty() && plan.for_new != state.for_new) {
    const auto said = co_await writer_.size_new(service, plan.for_new);
    if (!said) co_return failed(service, said.error());
    sys::log::info("new replicas are sized",
                   {{"service", service.text()}, {"size", to_string(plan.for_new)}});
    state.for_new = plan.for_new;
  }
  for (const Resize& resize : plan.resizes) {
    const auto done = co_await writer_.resize(service, resize.replica, resize.size);
    if (!done) {
      failed(service, done.error());
      continue;
    }
    ++state.resizes;
    state.trouble.clear();
    resized_[resize.replica] = clock_.now();
    sys::log::info("replica resized",
                   {{"replica", resize.replica.text()}, {"change", resize.reason}});
  }
}

void SizeApplier::failed(const RevisionId& service, const Error& error) {
  SizingState& state = states_[service];
  ++state.failures;
  const std::string trouble = to_string(error);
  if (state.trouble == trouble) return;
  state.trouble = trouble;
  sys::log::warning("size not in effect", {{"service", service.text()}, {"error", trouble}});
}

const SizingState* SizeApplier::find(const RevisionId& service) const {
  const auto place = states_.find(service);
  return place == states_.end() ? nullptr : &place->second;
}

}  // namespace bellows::recommender
