#include "cli/simulate/simulate_settings.hpp"

namespace bellows::cli {
namespace {

using config::Schema;
using Settings = SimulateSettings;

void add_trace(Schema<Settings>& schema) {
  schema.add(
      &Settings::trace,
      {.name = "trace",
       .help = "The same as the argument FILE: a trace or an access log; - is standard input.",
       .unset = "the argument"});
  schema.add_choice(
      &Settings::format,
      {{"auto", FormatChoice::kAuto},
       {"minutes", FormatChoice::kMinutes},
       {"events", FormatChoice::kEvents},
       {"azure2019", FormatChoice::kAzure2019},
       {"azure2021", FormatChoice::kAzure2021}},
      {.name = "format", .help = "Format of a trace; auto detects it, and that of an access log."});
  schema.add(&Settings::function,
             {.name = "function",
              .help = "Only functions of an Azure trace whose hash has this prefix.",
              .unset = "all functions as one service"});
  schema.add(
      &Settings::durations,
      {.name = "durations",
       .help = "FILE of duration percentiles for an azure2019 trace and one --function; - is "
               "standard input.",
       .unset = "the service times of the app model"});
}

void add_load(Schema<Settings>& schema) {
  schema.add(&Settings::scale,
             {.name = "scale",
              .bounds = config::above(0),
              .help = "Load factor: 0.25 keeps each request with probability 1/4."});
  schema.add(&Settings::dispersion,
             {.name = "dispersion",
              .bounds = config::at_least(1),
              .help = "Variance-to-mean ratio of the requests per second within a minute; 1 is "
                      "Poisson. Only for counts per minute."});
  schema.add(&Settings::from, {.name = "from",
                               .bounds = config::at_least(Duration::zero()),
                               .help = "Start at this offset into the trace."});
  schema.add(&Settings::to, {.name = "to",
                             .bounds = config::at_least(Duration::zero()),
                             .help = "End at this offset into the trace.",
                             .unset = "its end"});
  schema.add(&Settings::warm_up,
             {.name = "warm-up",
              .bounds = config::at_least(Duration::zero()),
              .help = "Duration at the start that is simulated but not counted, because real "
                      "services have replicas at the start.",
              .unset = "a tenth of the interval, at most 5m"});
}

void add_policies(Schema<Settings>& schema) {
  schema.group("Policies");
  schema.add(&Settings::policy,
             {.name = "policy",
              .variable = "BELLOWS_SIMULATE_POLICY",  // BELLOWS_POLICY is the recommender's
              .help = "Profiles separated by commas, each with optional settings after colons: "
                      "bellows,knative,bellows:window=30s:min-scale=2.",
              .unset = "bellows,knative; for an access log, what would save most"});
  schema.add(&Settings::set, {.name = "set",
                              .help = "Settings of all policies (docs/settings.md): "
                                      "container-concurrency=20,max-scale=50. May be repeated.",
                              .unset = "container-concurrency=10"});
  schema.add(&Settings::app,
             {.name = "app", .help = "App model, described above.", .unset = "medium"});
  schema.add(&Settings::seed, {.name = "seed",
                               .bounds = config::between(0, 1e15),
                               .help = "Random seed; the same seed gives the same output."});
}

void add_output(Schema<Settings>& schema) {
  schema.group("Output");
  schema.add(
      &Settings::report,
      {.name = "report", .help = "Write an HTML page with plots to this FILE.", .unset = "none"});
  schema.add(&Settings::journal,
             {.name = "journal",
              .help = "Write the decisions of the first policy to this FILE, for bellows explain "
                      "--journal and bellows replay.",
              .unset = "none"});
  schema.add(&Settings::suggest,
             {.name = "suggest",
              .help = "Also simulate constant keep-alives with the first policy, and print the "
                      "cheapest one on this traffic."});
  schema.add(&Settings::json, {.name = "json", .help = "Print JSON instead of the table."});
}

}  // namespace

const Schema<Settings>& simulate_schema() {
  static const Schema<Settings> schema = [] {
    Schema<Settings> made;
    made.group("Traffic");
    add_trace(made);
    add_load(made);
    add_policies(made);
    add_output(made);
    return made;
  }();
  return schema;
}

}  // namespace bellows::cli
