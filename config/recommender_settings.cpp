#include "config/recommender_settings.hpp"

namespace bellows::config {

Duration HistorySettings::forgotten_after() const {
  return memory_aggregation_interval * memory_aggregation_interval_count;
}

const Schema<SpikeSettings>& spike_schema() {
  static const Schema<SpikeSettings> schema = [] {
    auto spike = Schema<SpikeSettings>::of(Program::kRecommender);
    spike.add_rule({{"threshold-scale-down", "threshold-scale-up"},
                    [](const SpikeSettings& each) {
                      return each.threshold_scale_down < each.threshold_scale_up;
                    },
                    "threshold-scale-down < threshold-scale-up"});
    return spike;
  }();
  return schema;
}

const Schema<RecommenderSettings>& recommender_schema() {
  using Settings = RecommenderSettings;
  static const Schema<Settings> schema = [] {
    auto recommender = Schema<Settings>::of(Program::kRecommender);
    recommender.include(&Settings::history, schema_of<HistorySettings>());
    recommender.include(&Settings::spike, spike_schema());
    recommender.include(&Settings::hybrid, schema_of<HybridSettings>());
    return recommender;
  }();
  return schema;
}

std::vector<std::string> warnings_about(const SpikeSettings& settings) {
  std::vector<std::string> warnings;
  if (settings.scale_down_safety_factor * settings.threshold_scale_up <= 1) {
    warnings.emplace_back(
        "scale-down-safety-factor times threshold-scale-up is at most 1: after a scale-down, usage "
        "that returns to the local maximum scales up again; raise the factor (at 0.7: above 1.43)");
  }
  if (settings.scale_up_factor * settings.threshold_scale_down >= 1) {
    warnings.emplace_back(
        "scale-up-factor times threshold-scale-down is at least 1: steady usage scales up and down "
        "forever; lower the factor or the threshold");
  }
  return warnings;
}

void RecommenderSettings::use_minimum_of_processes() {
  if (policy == RecommenderPolicy::kVpa) return;
  if (!min_cpu_millicores) min_cpu_millicores = 5;
  if (!min_memory_mebibytes) min_memory_mebibytes = 8;
}

}  // namespace bellows::config
