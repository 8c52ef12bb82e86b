#include "config/recommender_program_settings.hpp"

namespace bellows::config {

const Schema<RecommenderProgramSettings>& recommender_program_schema() {
  using Settings = RecommenderProgramSettings;
  static const Schema<Settings> schema = [] {
    Schema<Settings> program;
    program.group("Addresses");
    program.add(&Settings::listen,
                {.name = "listen",
                 .help = "Address of /v1/recommendations, /metrics, /healthz and /readyz. Set "
                         "0.0.0.0:8942 if others scrape it, as in a container."});
    program.include(&Settings::prometheus, prometheus_schema());
    program.group("Files");
    program.add(&Settings::usage_file,
                {.name = "usage-file",
                 .help = "File with usage, requests and events in replay format (docs/sizing.md); "
                         "appended lines are read too.",
                 .unset = "none"});
    program.include(&Settings::loop, recommender_loop_schema());
    program.include(&Settings::log, log_schema());
    program.include(&Settings::policies, recommender_schema());
    return program;
  }();
  return schema;
}

}  // namespace bellows::config
