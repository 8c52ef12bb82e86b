#include "cli/simulate/simulate_settings.hpp"

namespace bellows::cli {
namespace {

using config::Schema;
using Settings = SimulateSettings;

void add_traffic(Schema<Settings>& schema) {
  schema.group("Traffic");
  schema.add(&Settings::trace,
             {.name = "trace", .required = true, .help = "A CSV file of requests."});
  schema.add_choice(&Settings::format,
                    {{"auto", FormatChoice::kAuto},
                     {"minutes", FormatChoice::kMinutes},
                     {"events", FormatChoice::kEvents},
                     {"azure2019", FormatChoice::kAzure2019},
                     {"azure2021", FormatChoice::kAzure2021}},
                    {.name = "format", .help = "Of the trace; auto looks at its first line."});
  schema.add(&Settings::function,
             {.name = "function",
              .help = "Of an Azure trace: only functions whose hash begins so.",
              .unset = "all functions as one service"});
  schema.add(&Settings::durations,
             {.name = "durations",
              .help = "The file of duration percentiles that belongs to an azure2019 trace; for "
                      "one --function.",
              .unset = "the app model's service times"});
  schema.add(&Settings::scale,
             {.name = "scale",
              .bounds = config::above(0),
              .help = "Times the requests: 0.25 keeps each with a chance of one in four."});
  schema.add(&Settings::dispersion,
             {.name = "dispersion",
              .bounds = config::at_least(1),
              .help = "Variance-to-mean ratio of the requests per second within a minute; 1 is "
                      "Poisson. For counts per minute."});
  schema.add(&Settings::from, {.name = "from",
                               .bounds = config::at_least(Duration::zero()),
                               .help = "Begin so far into the trace."});
  schema.add(&Settings::to, {.name = "to",
                             .bounds = config::at_least(Duration::zero()),
                             .help = "End so far into the trace.",
                             .unset = "its end"});
  schema.add(&Settings::warm_up, {.name = "warm-up",
                                  .bounds = config::at_least(Duration::zero()),
                                  .help = "Simulated at the beginning, but not counted."});
}

void add_policies(Schema<Settings>& schema) {
  schema.group("What is compared");
  schema.add(&Settings::policy,
             {.name = "policy",
              .help = "Profiles, each perhaps with settings of its own behind colons: "
                      "bellows,knative,bellows:window=30s:min-scale=2."});
  schema.add(&Settings::set, {.name = "set",
                              .help = "Settings of all policies (docs/settings.md): "
                                      "container-concurrency=20,max-scale=50. May be repeated.",
                              .unset = "container-concurrency=10"});
  schema.add(&Settings::app,
             {.name = "app", .help = "The app model, described above.", .unset = "medium"});
  schema.add(&Settings::seed,
             {.name = "seed",
              .bounds = config::between(0, 1e15),
              .help = "Of everything that is chance; the same seed gives the same output."});
}

void add_output(Schema<Settings>& schema) {
  schema.group("Output");
  schema.add(&Settings::report,
             {.name = "report", .help = "Write one HTML page with plots there.", .unset = "none"});
  schema.add(&Settings::json, {.name = "json", .help = "Print JSON instead of a table."});
}

}  // namespace

const Schema<Settings>& simulate_schema() {
  static const Schema<Settings> schema = [] {
    Schema<Settings> made;
    add_traffic(made);
    add_policies(made);
    add_output(made);
    return made;
  }();
  return schema;
}

}  // namespace bellows::cli
