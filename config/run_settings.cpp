#include "config/run_settings.hpp"

namespace bellows::config {

namespace {

Schema<RunSettings> machine_schema(Program program) {
  using Settings = RunSettings;
  auto schema = Schema<Settings>::of(program);
  schema.include(&Settings::tls, tls_schema());
  schema.include(&Settings::server, schema_of<ServerSettings>());
  schema.include(&Settings::log, schema_of<LogSettings>());
  schema.include(&Settings::access_log, schema_of<AccessLogSettings>());
  schema.include(&Settings::trace, schema_of<TraceSettings>());
  schema.include(&Settings::revision, revision_schema());
  schema.include(&Settings::loop, schema_of<RecommenderLoopSettings>());
  schema.include(&Settings::recommender, recommender_schema(), kRecommenderPrefix);
  return schema;
}

}  // namespace

const Schema<RunSettings>& run_schema() {
  static const Schema<RunSettings> schema = machine_schema(Program::kRun);
  return schema;
}

const Schema<RunSettings>& up_schema() {
  static const Schema<RunSettings> schema = machine_schema(Program::kUp);
  return schema;
}

}  // namespace bellows::config
