#include "recommender/service/recommendation_json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "recommender/service/cluster_source.hpp"

namespace bellows::recommender {

namespace {

namespace json = boost::json;

json::string text(std::string_view view) {
  return json::string(view.data(), view.size());
}

json::object amounts_json(const Amounts& amounts) {
  json::object object;
  if (amounts.cpu) object["cpu_millicores"] = amounts.cpu->value;
  if (amounts.memory) object["memory_bytes"] = amounts.memory->value;
  return object;
}

json::object size_json(const ReplicaSize& size) {
  json::object object = amounts_json({size.cpu, size.memory});
  if (size.memory_limit) object["memory_limit_bytes"] = size.memory_limit->value;
  return object;
}

/// Sizes, rules and reasons.
void add_recommendation(const Recommendation& recommendation, json::object& object) {
  if (recommendation.sizes) {
    object["target"] = amounts_json(recommendation.sizes->target);
    object["lower_bound"] = amounts_json(recommendation.sizes->lower_bound);
    object["upper_bound"] = amounts_json(recommendation.sizes->upper_bound);
    object["uncapped_target"] = amounts_json(recommendation.sizes->uncapped_target);
  }
  object["rule"] = json::object{{"cpu", text(to_string(recommendation.cpu.rule))},
                                {"memory", text(to_string(recommendation.memory.rule))}};
  object["reason"] = json::object{{"cpu", to_string(recommendation.cpu, Resource::kCpu)},
                                  {"memory", to_string(recommendation.memory, Resource::kMemory)}};
}

json::object source_json(const SourceReader& source, TimePoint now) {
  json::object object{{"name", source.name()}};
  if (source.last_success()) object["age_ms"] = to_milliseconds(now - *source.last_success());
  if (!source.last_error().empty()) object["trouble"] = source.last_error();
  return object;
}

}  // namespace

std::string recommendations_json(const WorkloadStore& store,
                                 const std::vector<std::unique_ptr<SourceReader>>& sources,
                                 TimePoint now) {
  json::array recommendations;
  for (const auto& [id, workload] : store.workloads()) {
    for (const PolicyRun& run : workload->runs()) {
      for (const Recommendation& recommendation : run.last) {
        json::object object{{"workload", id.text()},
                            {"container", recommendation.container.text()},
                            {"policy", text(run.policy->name())},
                            {"shadow", &run != &workload->chosen()}};
        add_recommendation(recommendation, object);
        recommendations.push_back(std::move(object));
      }
    }
  }
  json::array listed;
  for (const auto& source : sources) listed.push_back(source_json(*source, now));
  return json::serialize(json::object{{"version", 1},
                                      {"recommendations", std::move(recommendations)},
                                      {"sources", std::move(listed)}}) +
         "\n";
}

std::string resources_json(config::ResourcesMode mode, const Workload* workload,
                           const SizingState* state) {
  json::object object{{"mode", text(config::to_string(mode))}};
  const Recommendation* recommendation = workload ? workload->chosen().find(kApp) : nullptr;
  if (workload != nullptr) object["policy"] = text(workload->chosen().policy->name());
  if (recommendation != nullptr) add_recommendation(*recommendation, object);
  if (state != nullptr) {
    if (!state->for_new.empty()) object["new_replicas"] = size_json(state->for_new);
    object["resizes"] = state->resizes;
    if (!state->note.empty()) object["note"] = state->note;
    if (!state->last_error.empty()) object["trouble"] = state->last_error;
  }
  return json::serialize(object);
}

}  // namespace bellows::recommender
