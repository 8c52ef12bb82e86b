#include "recommender/score_settings.hpp"

#include "config/recommender_settings.hpp"

namespace bellows::recommender {

namespace {

using Settings = ScoreSettings;

/// Adds the settings of the simulated environment of a container.
void add_world(config::Schema<Settings>& schema) {
  using score::ApplyRule;
  using score::LimitRule;
  schema.add_choice(&Settings::limit,
                    {{"ratio", LimitRule::kRatio}, {"upper-bound", LimitRule::kUpperBound}},
                    {.name = "limit",
                     .help = "The limit of a container: its request times a ratio, or the upper "
                             "bound."});
  schema.add(&Settings::cpu_limit_ratio,
             {.name = "cpu-limit-ratio",
              .bounds = config::between(1, 1000),
              .help = "CPU usage above the request times this ratio is throttled."});
  schema.add(&Settings::memory_limit_ratio,
             {.name = "memory-limit-ratio",
              .bounds = config::between(1, 1000),
              .help = "Memory usage above the request times this ratio is killed."});
  schema.add_choice(
      &Settings::apply, {{"at-once", ApplyRule::kAtOnce}, {"updater", ApplyRule::kUpdater}},
      {.name = "apply",
       .help = "When a target becomes the request: immediately and in place, or by the "
               "rules of VPA's updater."});
}

}  // namespace

const config::Schema<ScoreSettings>& score_schema() {
  static const config::Schema<Settings> schema = [] {
    config::Schema<Settings> score;
    score.group("Score");
    score.add(&Settings::trace, {.name = "trace",
                                 .help = "Names of workloads and CSV files, separated by commas; "
                                         "all; - is standard input."});
    score.add(&Settings::policy,
              {.name = "policy",
               .variable = "BELLOWS_SCORE_POLICY",  // BELLOWS_POLICY is one policy, of `serve`
               .help = "Policies, separated by commas; NAME:SETTING=VALUE:SETTING=VALUE is one "
                       "with other settings."});
    score.add(&Settings::seed, {.name = "seed",
                                .bounds = config::between(0, 1e15),
                                .help = "Random seed of the synthetic workloads."});
    score.add(&Settings::report, {.name = "report",
                                  .help = "Write an HTML page with plots to this file.",
                                  .unset = "no page"});
    score.add(&Settings::json, {.name = "json", .help = "Print JSON instead of the table."});
    add_world(score);
    return score;
  }();
  return schema;
}

const std::vector<config::Declaration>& score_declarations() {
  static const std::vector<config::Declaration> all = [] {
    auto declarations = score_schema().declarations();
    for (const config::Declaration& policy : config::recommender_schema().declarations()) {
      if (policy.name != "policy") declarations.push_back(policy);
    }
    return declarations;
  }();
  return all;
}

}  // namespace bellows::recommender
