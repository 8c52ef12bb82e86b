#include "recommender/service/instruments.hpp"

#include <utility>

#include "metrics/prometheus/revision_labels.hpp"

namespace bellows::recommender {

namespace {

template <class Counter>
void bring_to(Counter& counter, std::uint64_t value) {
  if (value > counter.value()) counter.add(value - counter.value());
}

/// Returns cores or bytes.
std::optional<double> amount_of(const Amounts& amounts, Resource resource) {
  if (resource == Resource::kCpu) {
    if (!amounts.cpu) return std::nullopt;
    return static_cast<double>(amounts.cpu->value) / 1000;
  }
  if (!amounts.memory) return std::nullopt;
  return static_cast<double>(amounts.memory->value);
}

/// Returns the service of a revision that is listed on one machine, otherwise an empty text.
std::string service_of(const SizeApplier* applier, const RevisionId& workload) {
  const auto listed = applier == nullptr ? nullptr : applier->listed(workload.text());
  return listed == nullptr ? std::string() : listed->service.text();
}

metrics::prometheus::Labels workload_labels(const std::string& workload,
                                            const std::string& service) {
  metrics::prometheus::Labels labels = {{"workload", workload}};
  if (!service.empty()) labels[metrics::prometheus::kServiceLabel] = service;
  return labels;
}

}  // namespace

Instruments::Instruments(metrics::prometheus::Registry& registry)
    : registry_(registry),
      recorded_(registry.counter("bellows_recommender_observations_total",
                                 "Samples, events and requests that were accepted.")),
      rejected_(registry.counter("bellows_recommender_rejected_observations_total",
                                 "Samples and events that were invalid.")) {}

Instruments::Series Instruments::make_series(const Key& key, bool is_shadow) {
  const auto& [workload, service, container, policy, resource] = key;
  metrics::prometheus::Labels labels = workload_labels(workload, service);
  labels["container"] = container;
  labels["policy"] = policy;
  labels["role"] = is_shadow ? "shadow" : "chosen";
  const std::string unit = resource == Resource::kCpu ? "_cpu_cores" : "_memory_bytes";
  const auto gauge = [&](const std::string& what, std::string_view help) {
    return registry_.gauge("bellows_recommender_" + what + unit, help, labels);
  };
  return {gauge("target", "What one container should request."),
          gauge("lower_bound", "A request below this should be raised."),
          gauge("upper_bound", "A request above this should be lowered."),
          gauge("uncapped_target", "The target before minAllowed and maxAllowed.")};
}

void Instruments::show(const Key& key, bool is_shadow, const Sizes& sizes,
                       std::map<Key, Series>& fresh) {
  const Resource resource = std::get<Resource>(key);
  const auto target = amount_of(sizes.target, resource);
  if (!target) return;
  const auto known = series_.find(key);
  Series& series =
      fresh.emplace(key, known == series_.end() ? make_series(key, is_shadow) : known->second)
          .first->second;
  series.target.set(*target);
  series.lower_bound.set(amount_of(sizes.lower_bound, resource).value_or(*target));
  series.upper_bound.set(amount_of(sizes.upper_bound, resource).value_or(*target));
  series.uncapped_target.set(amount_of(sizes.uncapped_target, resource).value_or(*target));
}

void Instruments::refresh(const WorkloadStore& store,
                          const std::vector<std::unique_ptr<SourceReader>>& sources,
                          const SizeApplier* applier) {
  std::map<Key, Series> fresh;
  for (const auto& [id, workload] : store.workloads()) {
    const std::string service = service_of(applier, id);
    for (const PolicyRun& run : workload->runs()) {
      const bool is_shadow = &run != &workload->chosen();
      for (const Recommendation& recommendation : run.last) {
        if (!recommendation.sizes) continue;
        for (const Resource resource : {Resource::kCpu, Resource::kMemory}) {
          show({id.text(), service, recommendation.container.text(),
                std::string(run.policy->name()), resource},
               is_shadow, *recommendation.sizes, fresh);
        }
      }
    }
  }
  series_ = std::move(fresh);
  bring_to(recorded_, store.counters().recorded);
  bring_to(rejected_, store.counters().rejected);
  for (const auto& source : sources) {
    const auto gauge = sources_.try_emplace(
        source->name(), registry_.gauge("bellows_recommender_source_up",
                                        "1 if the last read of the usage source succeeded.",
                                        {{"source", source->name()}}));
    const bool is_up = source->last_error().empty() && source->last_success();
    gauge.first->second.set(is_up ? 1 : 0);
  }
  if (applier != nullptr) refresh_resizes(*applier);
}

void Instruments::refresh_resizes(const SizeApplier& applier) {
  for (const auto& [revision, state] : applier.states()) {
    auto place = resizes_.find(revision);
    if (place == resizes_.end()) {
      const metrics::prometheus::Labels labels =
          workload_labels(revision.text(), service_of(&applier, revision));
      place = resizes_
                  .emplace(revision,
                           Resizes{registry_.counter("bellows_recommender_resizes_total",
                                                     "Replicas resized in place.", labels),
                                   registry_.counter("bellows_recommender_failed_resizes_total",
                                                     "Sizes that the cluster rejected.", labels)})
                  .first;
    }
    bring_to(place->second.done, state.resizes);
    bring_to(place->second.failed, state.failures);
  }
}

}  // namespace bellows::recommender
