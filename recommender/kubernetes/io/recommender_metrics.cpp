// The series of /metrics, read from their owners while they are exposed.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "recommender/kubernetes/io/kubernetes_recommender.hpp"

namespace bellows::recommender {

using metrics::prometheus::AddSeries;
using metrics::prometheus::Registry;

namespace {

double cores(Millicores cpu) {
  return static_cast<double>(cpu.value) / kMillicoresPerCore;
}
double bytes(Bytes memory) {
  return static_cast<double>(memory.value);
}

/// Adds the target of every policy for one resource; without shadows the status has it.
template <class Unit>
auto targets_of(const ClusterState& state, std::optional<Unit> Amounts::*resource,
                double (*number)(Unit)) {
  return [&state, resource, number](const AddSeries& add) {
    state.each_workload([&](const std::string& key, const Workload& workload) {
      if (workload.runs().size() < 2) return;
      for (const PolicyRun& run : workload.runs()) {
        const char* const role = &run == &workload.chosen() ? "chosen" : "shadow";
        for (const Recommendation& each : run.last) {
          if (!each.sizes || !(each.sizes->target.*resource)) continue;
          add({{"workload", key},
               {"container", each.container.text()},
               {"policy", run.policy->name()},
               {"role", role}},
              number(*(each.sizes->target.*resource)));
        }
      }
    });
  };
}

}  // namespace

std::vector<const kubernetes::Informer*> KubernetesRecommender::informers() const {
  std::vector<const kubernetes::Informer*> all;
  if (watch_of_objects_) all.push_back(watch_of_objects_.get());
  if (watch_of_pods_) all.push_back(watch_of_pods_.get());
  targets_.each_informer([&all](const kubernetes::Informer& each) { all.push_back(&each); });
  return all;
}

void KubernetesRecommender::add_client_metrics(Registry& registry) {
  const auto calls = [this](const AddSeries& add) {
    for (const auto& [call, number] : client_.counters().calls) {
      add({{"verb", call.verb}, {"resource", call.resource}, {"result", call.result}},
          static_cast<double>(number));
    }
  };
  const auto ages = [this](const AddSeries& add) {
    for (const kubernetes::Informer* each : informers()) {
      const auto listed = each->status().listed;
      if (listed) add({{"kind", each->name()}}, to_seconds(clock_.now() - *listed));
    }
  };
  listings_.push_back(
      registry.list_counters("bellows_kubernetes_calls_total", "Calls to the API server", calls));
  listings_.push_back(registry.list_gauges("bellows_kubernetes_list_age_seconds",
                                           "Since the last complete list", ages));
}

void KubernetesRecommender::add_recommendation_metrics(Registry& registry) {
  const auto objects = [this](const AddSeries& add) {
    for (const auto& [labels, number] : state_.objects()) {
      add({{"policy", labels.first}, {"mode", labels.second}}, static_cast<double>(number));
    }
  };
  const auto age = [this](const AddSeries& add) {
    const auto newest = state_.newest_sample();
    if (newest) add({}, to_seconds(clock_.wall_now() - *newest));
  };
  const std::string_view help = "What one container should request.";
  listings_.push_back(registry.list_gauges("bellows_recommender_target_cpu_cores", help,
                                           targets_of(state_, &Amounts::cpu, cores)));
  listings_.push_back(registry.list_gauges("bellows_recommender_target_memory_bytes", help,
                                           targets_of(state_, &Amounts::memory, bytes)));
  listings_.push_back(registry.list_gauges("bellows_recommender_objects",
                                           "VerticalPodAutoscalers of this recommender.", objects));
  listings_.push_back(registry.list_gauges(
      "bellows_recommender_newest_sample_age_seconds",
      "Since the newest measurement of a pod ended; missing without one.", age));
}

void KubernetesRecommender::add_write_metrics(Registry& registry) {
  const auto writes = [this](const AddSeries& add) {
    const ObjectWriter::Counters& counters = writer_.counters();
    add({{"object", "status"}}, static_cast<double>(counters.statuses));
    add({{"object", "comparison"}}, static_cast<double>(counters.comparisons));
    add({{"object", "checkpoint"}}, static_cast<double>(counters.checkpoints));
    add({{"object", "deleted-checkpoint"}}, static_cast<double>(counters.deleted));
  };
  const auto errors = [this](const AddSeries& add) {
    for (const auto& [kind, number] : writer_.counters().errors) {
      add({{"kind", kind}}, static_cast<double>(number));
    }
  };
  listings_.push_back(
      registry.list_counters("bellows_recommender_writes_total", "Objects written.", writes));
  listings_.push_back(registry.list_counters("bellows_recommender_write_errors_total",
                                             "Writes that failed, by kind of error.", errors));
}

void KubernetesRecommender::add_metrics(Registry& registry) {
  const auto count = [&](std::string_view name, std::string_view help,
                         std::uint64_t ClusterState::Counters::*counter) {
    listings_.push_back(registry.list_counters(name, help, [this, counter](const AddSeries& add) {
      add({}, static_cast<double>(state_.counters().*counter));
    }));
  };
  count("bellows_recommender_observations_total", "Samples that were read.",
        &ClusterState::Counters::samples);
  count("bellows_recommender_rejected_observations_total", "Samples and events that were invalid.",
        &ClusterState::Counters::rejected);
  count("bellows_recommender_late_measurements_total",
        "Measurements of pods that were too old, or of the future.",
        &ClusterState::Counters::unknown);
  listings_.push_back(
      registry.list_gauges("bellows_recommender_loop_seconds",
                           "Time of the last loop, from the metrics of pods to the last status.",
                           [this](const AddSeries& add) { add({}, to_seconds(loop_time_)); }));
  add_client_metrics(registry);
  add_recommendation_metrics(registry);
  add_write_metrics(registry);
}

}  // namespace bellows::recommender
