#include "recommender/service/instruments.hpp"

#include <utility>

namespace bellows::recommender {

namespace {

template <class Counter>
void bring_to(Counter& counter, std::uint64_t value) {
  if (value > counter.value()) counter.add(value - counter.value());
}

/// In cores or bytes.
std::optional<double> amount_of(const Amounts& amounts, Resource resource) {
  if (resource == Resource::kCpu) {
    if (!amounts.cpu) return std::nullopt;
    return static_cast<double>(amounts.cpu->value) / 1000;
  }
  if (!amounts.memory) return std::nullopt;
  return static_cast<double>(amounts.memory->value);
}

}  // namespace

Instruments::Instruments(metrics::prometheus::Registry& registry)
    : registry_(registry),
      booked_(registry.counter("bellows_recommender_observations_total",
                               "Samples, events and requests that were taken.")),
      refused_(registry.counter("bellows_recommender_refused_observations_total",
                                "Samples and events that made no sense.")) {}

Instruments::Series Instruments::make_series(const Key& key, bool is_shadow) {
  const auto& [workload, container, policy, resource] = key;
  const metrics::prometheus::Labels labels = {{"workload", workload},
                                              {"container", container},
                                              {"policy", policy},
                                              {"role", is_shadow ? "shadow" : "chosen"}};
  const std::string unit = resource == Resource::kCpu ? "_cpu_cores" : "_memory_bytes";
  const auto gauge = [&](const std::string& what, std::string_view help) {
    return registry_.gauge("bellows_recommender_" + what + unit, help, labels);
  };
  return {gauge("target", "What one container should request."),
          gauge("lower_bound", "A request below this is too small to be left alone."),
          gauge("upper_bound", "A request above this is too large to be left alone."),
          gauge("uncapped_target", "The target before the least and the most that are allowed.")};
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

void Instruments::refresh(const WorkloadBook& book,
                          const std::vector<std::unique_ptr<SourceReader>>& sources,
                          const SizeApplier* applier) {
  std::map<Key, Series> fresh;
  for (const auto& [id, workload] : book.workloads()) {
    for (const PolicyRun& run : workload->runs()) {
      const bool is_shadow = &run != &workload->chosen();
      for (const Recommendation& said : run.last) {
        if (!said.sizes) continue;
        for (const Resource resource : {Resource::kCpu, Resource::kMemory}) {
          show({id.text(), said.container.text(), std::string(run.policy->name()), resource},
               is_shadow, *said.sizes, fresh);
        }
      }
    }
  }
  series_ = std::move(fresh);
  bring_to(booked_, book.counters().booked);
  bring_to(refused_, book.counters().refused);
  for (const auto& source : sources) {
    const auto gauge =
        sources_.try_emplace(source->name(), registry_.gauge("bellows_recommender_source_up",
                                                             "1 while the source of usage answers.",
                                                             {{"source", source->name()}}));
    const bool is_up = source->trouble().empty() && source->last_success();
    gauge.first->second.set(is_up ? 1 : 0);
  }
  if (applier != nullptr) refresh_resizes(*applier);
}

void Instruments::refresh_resizes(const SizeApplier& applier) {
  for (const auto& [service, state] : applier.states()) {
    auto place = resizes_.find(service);
    if (place == resizes_.end()) {
      const metrics::prometheus::Labels labels = {{"workload", service.text()}};
      place = resizes_
                  .emplace(service,
                           Resizes{registry_.counter("bellows_recommender_resizes_total",
                                                     "Replicas resized in place.", labels),
                                   registry_.counter("bellows_recommender_failed_resizes_total",
                                                     "Sizes that the cluster refused.", labels)})
                  .first;
    }
    bring_to(place->second.done, state.resizes);
    bring_to(place->second.failed, state.failures);
  }
}

}  // namespace bellows::recommender
