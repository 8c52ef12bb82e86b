#include "recommender/service/recommendation_json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "recommender/service/cluster_source.hpp"

namespace bellows::recommender {

namespace {

boost::json::string text(std::string_view view) {
  return boost::json::string(view.data(), view.size());
}

boost::json::object amounts_json(const Amounts& amounts) {
  boost::json::object object;
  if (amounts.cpu) object["cpu_millicores"] = amounts.cpu->value;
  if (amounts.memory) object["memory_bytes"] = amounts.memory->value;
  return object;
}

boost::json::object size_json(const ReplicaSize& size) {
  boost::json::object object = amounts_json({size.cpu, size.memory});
  if (size.memory_limit) object["memory_limit_bytes"] = size.memory_limit->value;
  return object;
}

/// Adds sizes, rules and reasons.
void add_recommendation(const Recommendation& recommendation, boost::json::object& object) {
  if (recommendation.sizes) {
    object["target"] = amounts_json(recommendation.sizes->target);
    object["lower_bound"] = amounts_json(recommendation.sizes->lower_bound);
    object["upper_bound"] = amounts_json(recommendation.sizes->upper_bound);
    object["uncapped_target"] = amounts_json(recommendation.sizes->uncapped_target);
  }
  object["rule"] = boost::json::object{{"cpu", text(to_string(recommendation.cpu.rule))},
                                       {"memory", text(to_string(recommendation.memory.rule))}};
  object["reason"] =
      boost::json::object{{"cpu", to_string(recommendation.cpu, Resource::kCpu)},
                          {"memory", to_string(recommendation.memory, Resource::kMemory)}};
}

boost::json::object source_json(const SourceReader& source, TimePoint now) {
  boost::json::object object{{"name", source.name()}};
  if (source.last_success()) object["age_ms"] = to_milliseconds(now - *source.last_success());
  if (!source.last_error().empty()) object["trouble"] = source.last_error();
  return object;
}

}  // namespace

std::string recommendations_json(const WorkloadStore& store,
                                 const std::vector<std::unique_ptr<SourceReader>>& sources,
                                 TimePoint now) {
  boost::json::array recommendations;
  for (const auto& [id, workload] : store.workloads()) {
    for (const PolicyRun& run : workload->runs()) {
      for (const Recommendation& recommendation : run.last) {
        boost::json::object object{{"workload", id.text()},
                                   {"container", recommendation.container.text()},
                                   {"policy", text(run.policy->name())},
                                   {"shadow", &run != &workload->chosen()}};
        add_recommendation(recommendation, object);
        recommendations.push_back(std::move(object));
      }
    }
  }
  boost::json::array listed;
  for (const auto& source : sources) listed.push_back(source_json(*source, now));
  return boost::json::serialize(boost::json::object{{"version", 1},
                                                    {"recommendations", std::move(recommendations)},
                                                    {"sources", std::move(listed)}}) +
         "\n";
}

std::string resources_json(config::ResourcesMode mode, const Workload* workload,
                           const SizingState* state) {
  boost::json::object object{{"mode", text(config::to_string(mode))}};
  const Recommendation* recommendation = workload ? workload->chosen().find(kApp) : nullptr;
  if (workload != nullptr) object["policy"] = text(workload->chosen().policy->name());
  if (recommendation != nullptr) add_recommendation(*recommendation, object);
  if (state != nullptr) {
    if (!state->for_new.empty()) object["new_replicas"] = size_json(state->for_new);
    object["resizes"] = state->resizes;
    if (!state->note.empty()) object["note"] = state->note;
    if (!state->last_error.empty()) object["trouble"] = state->last_error;
  }
  return boost::json::serialize(object);
}

}  // namespace bellows::recommender
