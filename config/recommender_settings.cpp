#include "config/recommender_settings.hpp"

#include <utility>

namespace bellows::config {

namespace {

using namespace std::chrono_literals;
using History = HistorySettings;
using Spike = SpikeSettings;
using Hybrid = HybridSettings;

constexpr Duration kLongest = 24h * 365;
constexpr double kMaxCrashes = 1'000'000;
constexpr double kMaxIntervals = 100;  // of a year: what fits into a Duration

void declare_percentile(Schema<History>& schema, double History::*member, std::string name,
                        std::string help) {
  schema.add(member, {.name = std::move(name), .bounds = between(0, 1), .help = std::move(help)});
}

void declare_percentiles(Schema<History>& schema) {
  declare_percentile(schema, &History::target_cpu_percentile, "target-cpu-percentile",
                     "Percentile of CPU usage that is the target.");
  declare_percentile(schema, &History::target_memory_percentile, "target-memory-percentile",
                     "Percentile of memory peaks that is the target.");
  declare_percentile(schema, &History::lower_bound_cpu_percentile,
                     "recommendation-lower-bound-cpu-percentile",
                     "Percentile of CPU usage that is the lower bound.");
  declare_percentile(schema, &History::lower_bound_memory_percentile,
                     "recommendation-lower-bound-memory-percentile",
                     "Percentile of memory peaks that is the lower bound.");
  declare_percentile(schema, &History::upper_bound_cpu_percentile,
                     "recommendation-upper-bound-cpu-percentile",
                     "Percentile of CPU usage that is the upper bound.");
  declare_percentile(schema, &History::upper_bound_memory_percentile,
                     "recommendation-upper-bound-memory-percentile",
                     "Percentile of memory peaks that is the upper bound.");
}

void declare_intervals(Schema<History>& schema) {
  schema.add(&History::confidence_interval_cpu,
             {.name = "confidence-interval-cpu",
              .bounds = between(1min, kLongest),
              .help = "History of CPU usage that counts as confidence 1."});
  schema.add(&History::confidence_interval_memory,
             {.name = "confidence-interval-memory",
              .bounds = between(1min, kLongest),
              .help = "History that counts as confidence 1 for memory."});
  schema.add(&History::memory_aggregation_interval,
             {.name = "memory-aggregation-interval",
              .bounds = between(1s, kLongest),
              .help = "Time of which only the memory peak counts."});
  schema.add(&History::memory_aggregation_interval_count,
             {.name = "memory-aggregation-interval-count",
              .bounds = between(1, kMaxIntervals),
              .help = "Under vpa a container without CPU samples for this many "
                      "memory-aggregation-intervals is forgotten, by recommenders that run; "
                      "replay, score and explain of a file forget nothing."});
  schema.add(&History::memory_half_life, {.name = "memory-histogram-decay-half-life",
                                          .bounds = between(1s, kLongest),
                                          .help = "After this time a memory peak weighs half."});
  schema.add(&History::cpu_half_life, {.name = "cpu-histogram-decay-half-life",
                                       .bounds = between(1s, kLongest),
                                       .help = "After this time a CPU sample weighs half."});
}

const Schema<History>& history_schema() {
  static const Schema<History> schema = [] {
    Schema<History> history;
    history.group("History (vpa, hybrid)");
    declare_percentiles(history);
    history.add(&History::margin_fraction, {.name = "recommendation-margin-fraction",
                                            .bounds = between(0, 10),
                                            .help = "Part that is added to each percentile."});
    declare_intervals(history);
    history.add(&History::oom_bump_up_ratio,
                {.name = "oom-bump-up-ratio",
                 .bounds = between(1, 100),
                 .help = "Memory after an OOM kill, as a multiple of that before."});
    history.add(&History::oom_min_bump_up_bytes,
                {.name = "oom-min-bump-up-bytes",
                 .bounds = between(0, 1e14),
                 .help = "Memory that an OOM kill adds at least."});
    history.add_choice(&History::cpu_sample_weight,
                       {{"constant", CpuSampleWeight::kConstant},
                        {"request", CpuSampleWeight::kRequest},
                        {"usage", CpuSampleWeight::kUsage}},
                       {.name = "cpu-sample-weight",
                        .help = "How much a CPU sample weighs: always the same, as much as the "
                                "request, or as much as the usage."});
    return history;
  }();
  return schema;
}

void declare_six_parameters(Schema<Spike>& schema) {
  schema.add(&Spike::scale_up_factor, {.name = "scale-up-factor",
                                       .aliases = {camel_case("scale-up-factor")},
                                       .bounds = {.min = 1, .max = 100, .min_excluded = true},
                                       .help = "A scale-up asks for the usage times this."});
  schema.add(&Spike::scale_down_safety_factor,
             {.name = "scale-down-safety-factor",
              .aliases = {camel_case("scale-down-safety-factor")},
              .bounds = within(1, 2),
              .help = "A scale-down asks for the local maximum times this; best below 1.5."});
  schema.add(&Spike::monitor_window, {.name = "threshold-monitor-time-window",
                                      .aliases = {camel_case("threshold-monitor-time-window")},
                                      .bounds = between(1s, kLongest),
                                      .help = "Time over which the local maximum is taken."});
  schema.add(&Spike::num_crashes,
             {.name = "threshold-num-crashes",
              .aliases = {camel_case("threshold-num-crashes")},
              .bounds = between(1, kMaxCrashes),
              .help = "This many crashes double CPU and memory whatever the usage."});
  schema.add(&Spike::threshold_scale_up,
             {.name = "threshold-scale-up",
              .aliases = {camel_case("threshold-scale-up")},
              .bounds = {.min = 0, .max = 1, .min_excluded = true},
              .help = "A usage beyond this part of the request scales up."});
  schema.add(&Spike::threshold_scale_down,
             {.name = "threshold-scale-down",
              .aliases = {camel_case("threshold-scale-down")},
              .bounds = {.min = 0, .max = 1, .max_excluded = true},
              .help = "A usage and local maximum below this part of the request scale down."});
  schema.add_rule(
      {{"threshold-scale-down", "threshold-scale-up"},
       [](const Spike& spike) { return spike.threshold_scale_down < spike.threshold_scale_up; },
       "threshold-scale-down < threshold-scale-up"});
}

void declare_windows(Schema<Spike>& schema) {
  schema.add_choice(
      &Spike::window,
      {{"tumbling", MaximumWindow::kTumbling}, {"sliding", MaximumWindow::kSliding}},
      {.name = "window",
       .variable = "BELLOWS_SPIKE_WINDOW",  // BELLOWS_WINDOW is a service's stable window
       .help = "Whether the local maximum begins anew when its time window is over, or is always "
               "that of the time just past."});
  schema.add(&Spike::align_windows, {.name = "align-windows",
                                     .help = "CPU and memory begin their windows together, so that "
                                             "one restart serves both."});
  schema.add_choice(
      &Spike::scale_down_base,
      {{"max", ScaleDownBase::kMaximum}, {"current", ScaleDownBase::kCurrent}},
      {.name = "scale-down-base",
       .help = "What a scale-down multiplies: the greater of usage and local maximum, or the "
               "current usage."});
  schema.add(&Spike::auto_stable,
             {.name = "auto-stable",
              .help = "A scale-down never goes so low that the same usage would scale up again."});
}

void declare_limits(Schema<Spike>& schema) {
  schema.add(&Spike::margin_fraction, {.name = "margin-fraction",
                                       .bounds = between(0, 10),
                                       .help = "Part that is added to what the spike rule says."});
  schema.add(&Spike::lower_bound_fraction,
             {.name = "lower-bound-fraction",
              .bounds = {.min = 0, .max = 1},
              .help = "The lower bound as a part of the target; the upper one is twice the "
                      "target."});
}

void declare_lives(Schema<Spike>& schema) {
  schema.add(&Spike::crash_loop_quorum,
             {.name = "crash-loop-quorum",
              .bounds = between(1, kMaxCrashes),
              .help = "Replicas that must be in a crash loop for the crash rule."});
  schema.add(&Spike::crash_back_off,
             {.name = "crash-back-off",
              .bounds = between(1s, kLongest),
              .help = "The crash rule waits this long for its last answer to be applied."});
  schema.add(&Spike::startup_boost_factor,
             {.name = "startup-boost-factor",
              .bounds = between(1, 100),
              .help = "CPU while a replica starts, as a multiple of what it is otherwise."});
  schema.add(&Spike::startup_boost_duration,
             {.name = "startup-boost-duration",
              .bounds = between(Duration::zero(), kLongest),
              .help = "How long a replica counts as starting for startup-boost-factor."});
}

void declare_hybrid_sizes(Schema<Hybrid>& schema) {
  schema.add(&Hybrid::cpu_percentile, {.name = "hybrid-cpu-percentile",
                                       .bounds = between(0, 1),
                                       .help = "Percentile of CPU usage below which no target "
                                               "falls."});
  schema.add(&Hybrid::memory_percentile, {.name = "hybrid-memory-percentile",
                                          .bounds = between(0, 1),
                                          .help = "Percentile of memory peaks below which no "
                                                  "target falls."});
  schema.add(&Hybrid::margin_fraction,
             {.name = "hybrid-margin-fraction",
              .bounds = between(0, 10),
              .help = "Part that is added to percentile, sliding maximum and start-up peak."});
  schema.add(&Hybrid::cpu_window, {.name = "hybrid-cpu-window",
                                   .bounds = between(1s, kLongest),
                                   .help = "Time of the sliding maximum of CPU usage."});
  schema.add(&Hybrid::memory_window, {.name = "hybrid-memory-window",
                                      .bounds = between(1s, kLongest),
                                      .help = "Time of the sliding maximum of memory."});
}

void declare_hybrid_rise(Schema<Hybrid>& schema) {
  const Bounds part{.min = 0, .max = 1, .min_excluded = true};
  schema.add(&Hybrid::cpu_threshold,
             {.name = "hybrid-cpu-threshold",
              .bounds = part,
              .help = "CPU usage beyond this part of the target scales up."});
  schema.add(&Hybrid::memory_threshold,
             {.name = "hybrid-memory-threshold",
              .bounds = part,
              .help = "Memory beyond this part of the target scales up."});
  schema.add(&Hybrid::cpu_up_factor, {.name = "hybrid-cpu-up-factor",
                                      .bounds = between(1, 100),
                                      .help = "A scale-up asks for the CPU usage times this."});
  schema.add(&Hybrid::memory_up_factor, {.name = "hybrid-memory-up-factor",
                                         .bounds = between(1, 100),
                                         .help = "A scale-up asks for the memory times this."});
  schema.add(&Hybrid::oom_hold, {.name = "hybrid-oom-hold",
                                 .bounds = between(Duration::zero(), kLongest),
                                 .help = "After an OOM kill memory does not fall below what it "
                                         "was raised to for this long."});
  schema.add(&Hybrid::crash_doublings,
             {.name = "hybrid-crash-doublings",
              .bounds = between(0, 30),
              .help = "Doublings that are tried against one series of crashes; then size is not "
                      "the cure."});
  schema.add(&Hybrid::startup, {.name = "hybrid-startup",
                                .bounds = between(Duration::zero(), kLongest),
                                .help = "How long a replica counts as starting: what it uses then "
                                        "is remembered apart."});
}

void declare_hybrid_calm(Schema<Hybrid>& schema) {
  schema.add(&Hybrid::hysteresis, {.name = "hybrid-hysteresis",
                                   .bounds = {.min = 0, .max = 1, .max_excluded = true},
                                   .help = "A target falls only by more than this part of it."});
  schema.add(
      &Hybrid::changes_per_day,
      {.name = "hybrid-changes-per-day",
       .bounds = between(1, kMaxCrashes),
       .help = "A target that fell this often in 24 hours does not fall again. It always may "
               "rise."});
  schema.add(&Hybrid::lower_bound_fraction, {.name = "hybrid-lower-bound-fraction",
                                             .bounds = {.min = 0, .max = 1},
                                             .help = "The lower bound as a part of the target."});
  schema.add(&Hybrid::upper_bound_factor, {.name = "hybrid-upper-bound-factor",
                                           .bounds = between(1, 100),
                                           .help = "The upper bound as a multiple of the target."});
}

const Schema<Hybrid>& hybrid_schema() {
  static const Schema<Hybrid> schema = [] {
    Schema<Hybrid> hybrid;
    hybrid.group("Hybrid");
    declare_hybrid_sizes(hybrid);
    declare_hybrid_rise(hybrid);
    declare_hybrid_calm(hybrid);
    return hybrid;
  }();
  return schema;
}

void declare_common(Schema<RecommenderSettings>& schema) {
  using Settings = RecommenderSettings;
  schema.group("Every policy");
  schema.add_choice(
      &Settings::policy,
      {{"vpa", RecommenderPolicy::kVpa},
       {"spike", RecommenderPolicy::kSpike},
       {"hybrid", RecommenderPolicy::kHybrid}},
      {.name = "policy", .help = "VPA's histograms, the spike rule, or the best of both."});
  schema.add(&Settings::min_cpu_millicores,
             {.name = "pod-recommendation-min-cpu-millicores",
              .bounds = between(0, 1e9),
              .help = "The least CPU of a replica, split evenly over its containers."});
  schema.add(&Settings::min_memory_mebibytes,
             {.name = "pod-recommendation-min-memory-mb",
              .bounds = between(0, 1e7),
              .help = "The least memory of a replica in MiB, split evenly over its containers."});
  schema.add(&Settings::round_cpu_millicores, {.name = "round-cpu-millicores",
                                               .bounds = between(1, 1e9),
                                               .help = "CPU is rounded up to a multiple of this."});
  schema.add(&Settings::round_memory_bytes,
             {.name = "round-memory-bytes",
              .bounds = between(1, 1e14),
              .help = "Memory is rounded up to a multiple of this."});
  schema.add(&Settings::integer_cpu,
             {.name = "cpu-integer-post-processor-enabled",
              .help = "Annotations may ask for whole cores, per container."});
  schema.add(&Settings::max_allowed_cpu,
             {.name = "container-recommendation-max-allowed-cpu",
              .help = "The most CPU of a container whose policy says nothing.",
              .unset = "no limit"});
  schema.add(&Settings::max_allowed_memory,
             {.name = "container-recommendation-max-allowed-memory",
              .help = "The most memory of a container whose policy says nothing.",
              .unset = "no limit"});
}

}  // namespace

Duration HistorySettings::forgotten_after() const {
  return memory_aggregation_interval * memory_aggregation_interval_count;
}

const Schema<SpikeSettings>& spike_schema() {
  static const Schema<Spike> schema = [] {
    Schema<Spike> spike;
    spike.group("Spike rule (spike; crashes: hybrid too)");
    declare_six_parameters(spike);
    declare_windows(spike);
    declare_limits(spike);
    declare_lives(spike);
    return spike;
  }();
  return schema;
}

const Schema<RecommenderSettings>& recommender_schema() {
  static const Schema<RecommenderSettings> schema = [] {
    Schema<RecommenderSettings> recommender;
    declare_common(recommender);
    recommender.include(&RecommenderSettings::history, history_schema());
    recommender.include(&RecommenderSettings::spike, spike_schema());
    recommender.include(&RecommenderSettings::hybrid, hybrid_schema());
    return recommender;
  }();
  return schema;
}

std::vector<std::string> warnings_about(const SpikeSettings& settings) {
  std::vector<std::string> warnings;
  if (!settings.auto_stable &&
      settings.scale_down_safety_factor * settings.threshold_scale_up <= 1) {
    warnings.emplace_back(
        "scale-down-safety-factor times threshold-scale-up is not above 1: after a scale-down a "
        "usage that returns to the local maximum scales up again; a greater factor (at 0.7: above "
        "1.43) or auto-stable prevents it");
  }
  if (settings.scale_up_factor * settings.threshold_scale_down >= 1) {
    warnings.emplace_back(
        "scale-up-factor times threshold-scale-down is not below 1: a steady usage scales up and "
        "then down for ever; a smaller factor or threshold prevents it");
  }
  return warnings;
}

}  // namespace bellows::config
