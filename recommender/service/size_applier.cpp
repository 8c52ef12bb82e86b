#include "recommender/service/size_applier.hpp"

#include <algorithm>
#include <utility>

#include "base/sys/log.hpp"
#include "recommender/service/cluster_source.hpp"

namespace bellows::recommender {

namespace {

bool is_sized(const cluster::Revision& service) {
  return service.settings.resources.mode != config::ResourcesMode::kOff && !service.is_retired();
}

Request applied_request(const cluster::Replica& replica,
                        const config::ResourcesSettings& settings) {
  const ReplicaSize& size = replica.size;
  return {size.cpu.value_or(settings.cpu.value_or(Millicores{})),
          size.memory.value_or(settings.memory.value_or(Bytes{}))};
}

/// Returns unset amounts if there is no recommendation.
Sizes advice_of(const Workload* workload) {
  const Recommendation* const last = workload ? workload->chosen().find(kApp) : nullptr;
  return last != nullptr && last->sizes ? *last->sizes : Sizes();
}

/// Returns true if the app ended at least once and was not ready since.
bool is_down(const cluster::Replica& replica) {
  const bool waits_for_start = replica.phase == cluster::ReplicaPhase::kFailed;
  return waits_for_start ||
         (replica.restarts > 0 && replica.phase != cluster::ReplicaPhase::kReady);
}

}  // namespace

SizeApplier::SizeApplier(cluster::Cluster& cluster, cluster::SizeWriter& writer,
                         const sys::Clock& clock, SizingDependencies dependencies)
    : cluster_(cluster), writer_(writer), clock_(clock), dependencies_(std::move(dependencies)) {}

std::vector<Observation> SizeApplier::requests(WallTime now) {
  std::vector<Observation> changed;
  std::map<ReplicaKey, Request> present;
  std::map<ReplicaKey, TimePoint> resized;
  for (const cluster::RevisionPtr& service : cluster_.revisions()) {
    if (!is_sized(*service)) continue;
    for (const cluster::ReplicaPtr& replica : service->replicas) {
      const ReplicaKey key{service->id, replica->name};
      const Request request = applied_request(*replica, service->settings.resources);
      present[key] = request;
      if (const auto at = resized_.find(key); at != resized_.end()) resized.insert(*at);
      const auto reported = reported_.find(key);
      if (reported != reported_.end() && reported->second == request) continue;
      changed.push_back({service->id, replica->name, kApp, now, request});
    }
  }
  reported_ = std::move(present);
  resized_ = std::move(resized);
  return changed;
}

std::vector<SizedRevision> SizeApplier::sized() const {
  std::vector<SizedRevision> all;
  for (const cluster::RevisionPtr& service : cluster_.revisions()) {
    if (!is_sized(*service)) continue;
    all.push_back({.id = service->id,
                   .service = service->service,
                   .is_serving = service->share > 0,
                   .resources = service->settings.resources});
  }
  return all;
}

ReplicaSize SizeApplier::size_of_first(const config::Service& revision,
                                       const Workload& workload) const {
  SizingInput input;
  input.settings = revision.settings.resources;
  input.cannot_write = writer_.unsupported_reason();
  input.advice = advice_of(&workload);
  return plan_sizes(input, clock_.now()).for_new;
}

cluster::RevisionPtr SizeApplier::listed(const std::string& name) const {
  const cluster::RevisionList& all = cluster_.revisions();
  if (cluster::RevisionPtr revision = all.find(RevisionId(name))) return revision;
  if (cluster::RevisionPtr of_service = cluster::leading(all, RevisionId(name))) return of_service;
  const PodName replica(name);
  for (const cluster::RevisionPtr& service : cluster_.revisions()) {
    if (service->find(replica) != nullptr) return service;
  }
  return nullptr;
}

http::Awaitable<void> SizeApplier::apply(const WorkloadStore& store) {
  const cluster::RevisionList listed = cluster_.revisions();  // it changes during the waits
  for (const cluster::RevisionPtr& service : listed) {
    if (!is_sized(*service)) continue;
    SizingState& state = states_[service->id];
    if (state.settings != service->settings.resources) {
      state.settings = service->settings.resources;
      state.is_told = false;  // the cluster may have restored the first request
    }
    const SizingInput input = input_for(*service, store);
    co_await carry_out(service->id, plan_sizes(input, clock_.now()));
  }
}

SizingInput SizeApplier::input_for(const cluster::Revision& service,
                                   const WorkloadStore& store) const {
  SizingInput input;
  input.settings = service.settings.resources;
  input.settle = service.settings.window;
  input.scaling = dependencies_.scaling(service.id);
  input.cannot_write = writer_.unsupported_reason();
  if (const SizingState* state = find(service.id)) input.for_new = state->for_new;
  input.advice = advice_of(store.find(service.id));
  for (const cluster::ReplicaPtr& replica : service.replicas) {
    SizedReplica sized{.name = replica->name, .size = replica->size};
    sized.memory_use = dependencies_.memory_use(service.id, replica->name);
    sized.is_down = is_down(*replica);
    sized.is_leaving = replica->phase == cluster::ReplicaPhase::kDraining;
    if (const auto at = resized_.find({service.id, replica->name}); at != resized_.end()) {
      sized.resized = at->second;
    }
    input.replicas.push_back(std::move(sized));
  }
  return input;
}

http::Awaitable<void> SizeApplier::carry_out(RevisionId service, SizingPlan plan) {
  SizingState& state = states_[service];
  state.note = plan.note;
  if (!plan.for_new.empty() && (plan.for_new != state.for_new || !state.is_told)) {
    const auto applied = co_await writer_.set_size_of_new_replicas(service, plan.for_new);
    if (!applied) co_return failed(service, applied.error());
    if (plan.for_new != state.for_new) {
      sys::log::info("size of new replicas changed",
                     {{"service", cluster::service_of(cluster_.revisions(), service).text()},
                      {"revision", service.text()},
                      {"size", to_string(plan.for_new)}});
    }
    state.for_new = plan.for_new;
    state.is_told = true;
  }
  for (const Resize& resize : plan.resizes) {
    const auto applied = co_await writer_.resize(service, resize.replica, resize.size);
    if (!applied) {
      failed(service, applied.error());
      continue;
    }
    ++state.resizes;
    state.last_error.clear();
    resized_[{service, resize.replica}] = clock_.now();
    sys::log::info("replica resized",
                   {{"service", cluster::service_of(cluster_.revisions(), service).text()},
                    {"revision", service.text()},
                    {"replica", resize.replica.text()},
                    {"change", resize.reason}});
  }
}

void SizeApplier::failed(const RevisionId& service, const Error& error) {
  SizingState& state = states_[service];
  ++state.failures;
  const std::string last_error = to_string(error);
  if (state.last_error == last_error) return;
  state.last_error = last_error;
  sys::log::warning("size not applied",
                    {{"service", cluster::service_of(cluster_.revisions(), service).text()},
                     {"revision", service.text()},
                     {"error", last_error}});
}

const SizingState* SizeApplier::find(const RevisionId& service) const {
  const auto found = states_.find(service);
  return found == states_.end() ? nullptr : &found->second;
}

}  // namespace bellows::recommender
