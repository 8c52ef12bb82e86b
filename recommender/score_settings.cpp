#include "recommender/score_settings.hpp"

namespace bellows::recommender {

const config::Schema<ScoreSettings>& score_schema() {
  using score::ApplyRule;
  using score::LimitRule;
  using Settings = ScoreSettings;
  static const config::Schema<Settings> schema = [] {
    config::Schema<Settings> score;
    score.group("Score");
    score.add(&Settings::trace, {.name = "trace",
                                 .help = "Workloads by name, CSV files, or all, with commas "
                                         "between."});
    score.add(&Settings::policy,
              {.name = "policy",
               .help = "Policies, with commas between; NAME:SETTING=VALUE:SETTING=VALUE is one "
                       "with other settings."});
    score.add(&Settings::seed, {.name = "seed",
                                .bounds = config::between(0, 1e15),
                                .help = "Of the chance in made-up workloads."});
    score.add(&Settings::report,
              {.name = "report", .help = "Writes a page with plots here.", .unset = "no page"});
    score.add(&Settings::json, {.name = "json", .help = "Prints JSON instead of the table."});
    score.add_choice(&Settings::limit,
                     {{"ratio", LimitRule::kRatio}, {"upper-bound", LimitRule::kUpperBound}},
                     {.name = "limit",
                      .help = "What may not be exceeded: the request times a ratio, or the upper "
                              "bound."});
    score.add(&Settings::cpu_limit_ratio,
              {.name = "cpu-limit-ratio",
               .bounds = config::between(1, 1000),
               .help = "CPU above the request times this has to wait."});
    score.add(&Settings::memory_limit_ratio,
              {.name = "memory-limit-ratio",
               .bounds = config::between(1, 1000),
               .help = "Memory above the request times this is killed."});
    score.add_choice(&Settings::apply,
                     {{"at-once", ApplyRule::kAtOnce}, {"updater", ApplyRule::kUpdater}},
                     {.name = "apply",
                      .help = "When a target becomes the request: at once and in place, or by the "
                              "rules of VPA's updater."});
    return score;
  }();
  return schema;
}

}  // namespace bellows::recommender
