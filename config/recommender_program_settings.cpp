#include "config/recommender_program_settings.hpp"

namespace bellows::config {

const Schema<RecommenderProgramSettings>& recommender_program_schema() {
  using Settings = RecommenderProgramSettings;
  static const Schema<Settings> schema = [] {
    auto program = Schema<Settings>::of(Program::kRecommenderServe);
    program.include(&Settings::kubernetes, schema_of<KubernetesSettings>());
    program.include(&Settings::prometheus, schema_of<PrometheusSettings>());
    program.include(&Settings::loop, schema_of<RecommenderLoopSettings>());
    program.include(&Settings::log, schema_of<LogSettings>());
    program.include(&Settings::policies, recommender_schema());
    return program;
  }();
  return schema;
}

}  // namespace bellows::config
