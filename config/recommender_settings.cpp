#include "config/recommender_settings.hpp"

#include <utility>

namespace bellows::config {

namespace {

using namespace std::chrono_literals;
using History = HistorySettings;
using Spike = SpikeSettings;
using Hybrid = HybridSettings;

constexpr Duration kYear = 24h * 365;
constexpr double kMaxCrashes = 1'000'000;
constexpr double kMaxIntervals = 100;  // of a year each, so that the product fits into a Duration

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
              .bounds = between(1min, kYear),
              .help = "Length of CPU history that counts as confidence 1."});
  schema.add(&History::confidence_interval_memory,
             {.name = "confidence-interval-memory",
              .bounds = between(1min, kYear),
              .help = "Length of memory history that counts as confidence 1."});
  schema.add(&History::memory_aggregation_interval,
             {.name = "memory-aggregation-interval",
              .bounds = between(1s, kYear),
              .help = "Interval of which only the memory peak is a sample."});
  schema.add(&History::memory_aggregation_interval_count,
             {.name = "memory-aggregation-interval-count",
              .bounds = between(1, kMaxIntervals),
              .help = "With policy vpa a running recommender forgets a container without CPU "
                      "samples for this many memory-aggregation-intervals; replay, score and "
                      "explain of a file forget nothing."});
  schema.add(&History::memory_half_life,
             {.name = "memory-histogram-decay-half-life",
              .bounds = between(1s, kYear),
              .help = "Time after which a memory peak has half its weight."});
  schema.add(&History::cpu_half_life,
             {.name = "cpu-histogram-decay-half-life",
              .bounds = between(1s, kYear),
              .help = "Time after which a CPU sample has half its weight."});
}

const Schema<History>& history_schema() {
  static const Schema<History> schema = [] {
    Schema<History> history;
    history.group("History (vpa, hybrid)");
    declare_percentiles(history);
    history.add(&History::margin_fraction,
                {.name = "recommendation-margin-fraction",
                 .bounds = between(0, 10),
                 .help = "Fraction added to each percentile as a safety margin."});
    declare_intervals(history);
    history.add(&History::oom_bump_up_ratio,
                {.name = "oom-bump-up-ratio",
                 .bounds = between(1, 100),
                 .help = "After an OOM kill: the factor by which memory grows."});
    history.add(&History::oom_min_bump_up_bytes,
                {.name = "oom-min-bump-up-bytes",
                 .bounds = between(0, 1e14),
                 .help = "After an OOM kill: the minimum number of bytes by which memory grows."});
    history.add_choice(&History::cpu_sample_weight,
                       {{"constant", CpuSampleWeight::kConstant},
                        {"request", CpuSampleWeight::kRequest},
                        {"usage", CpuSampleWeight::kUsage}},
                       {.name = "cpu-sample-weight",
                        .help = "Weight of a CPU sample: constant, in proportion to the request, "
                                "or in proportion to the usage."});
    return history;
  }();
  return schema;
}

void declare_six_parameters(Schema<Spike>& schema) {
  schema.add(&Spike::scale_up_factor, {.name = "scale-up-factor",
                                       .aliases = {camel_case("scale-up-factor")},
                                       .bounds = {.min = 1, .max = 100, .min_excluded = true},
                                       .help = "A scale-up requests the usage times this."});
  schema.add(&Spike::scale_down_safety_factor,
             {.name = "scale-down-safety-factor",
              .aliases = {camel_case("scale-down-safety-factor")},
              .bounds = within(1, 2),
              .help = "A scale-down requests the local maximum times this. Best below 1.5."});
  schema.add(&Spike::monitor_window, {.name = "threshold-monitor-time-window",
                                      .aliases = {camel_case("threshold-monitor-time-window")},
                                      .bounds = between(1s, kYear),
                                      .help = "Window of the local maximum."});
  schema.add(&Spike::num_crashes,
             {.name = "threshold-num-crashes",
              .aliases = {camel_case("threshold-num-crashes")},
              .bounds = between(1, kMaxCrashes),
              .help = "Number of crashes that doubles CPU and memory regardless of the usage."});
  schema.add(&Spike::threshold_scale_up,
             {.name = "threshold-scale-up",
              .aliases = {camel_case("threshold-scale-up")},
              .bounds = {.min = 0, .max = 1, .min_excluded = true},
              .help = "Scale up when the usage exceeds this fraction of the request."});
  schema.add(
      &Spike::threshold_scale_down,
      {.name = "threshold-scale-down",
       .aliases = {camel_case("threshold-scale-down")},
       .bounds = {.min = 0, .max = 1, .max_excluded = true},
       .help = "Scale down when usage and local maximum are below this fraction of the request."});
  schema.add_rule(
      {{"threshold-scale-down", "threshold-scale-up"},
       [](const Spike& spike) { return spike.threshold_scale_down < spike.threshold_scale_up; },
       "threshold-scale-down < threshold-scale-up"});
}

void declare_spike_windows(Schema<Spike>& schema) {
  schema.add_choice(
      &Spike::window,
      {{"tumbling", MaximumWindow::kTumbling}, {"sliding", MaximumWindow::kSliding}},
      {.name = "window",
       .variable = "BELLOWS_SPIKE_WINDOW",  // BELLOWS_WINDOW is the stable window of a service
       .help = "tumbling: the local maximum restarts when its window ends; sliding: it always "
               "covers the latest window."});
  schema.add(
      &Spike::align_windows,
      {.name = "align-windows",
       .help = "Start the windows of CPU and memory together, so that one restart applies both."});
  schema.add_choice(&Spike::scale_down_base,
                    {{"max", ScaleDownBase::kMaximum}, {"current", ScaleDownBase::kCurrent}},
                    {.name = "scale-down-base",
                     .help = "Amount that a scale-down multiplies: the greater of usage and local "
                             "maximum, or the current usage."});
  schema.add(&Spike::auto_stable,
             {.name = "auto-stable",
              .help = "Never scale down so far that the same usage would scale up again."});
}

void declare_limits(Schema<Spike>& schema) {
  schema.add(&Spike::margin_fraction,
             {.name = "margin-fraction",
              .bounds = between(0, 10),
              .help = "Fraction added to the result of the spike rule as a safety margin."});
  schema.add(
      &Spike::lower_bound_fraction,
      {.name = "lower-bound-fraction",
       .bounds = {.min = 0, .max = 1},
       .help = "Lower bound as a fraction of the target. The upper bound is twice the target."});
}

void declare_lives(Schema<Spike>& schema) {
  schema.add(&Spike::crash_loop_quorum,
             {.name = "crash-loop-quorum",
              .bounds = between(1, kMaxCrashes),
              .help = "Number of replicas in a crash loop that triggers the crash rule."});
  schema.add(&Spike::crash_back_off,
             {.name = "crash-back-off",
              .bounds = between(1s, kYear),
              .help = "Time that the crash rule waits for its last recommendation to be applied."});
  schema.add(&Spike::startup_boost_factor,
             {.name = "startup-boost-factor",
              .bounds = between(1, 100),
              .help = "CPU of a starting replica, as a multiple of its normal CPU."});
  schema.add(&Spike::startup_boost_duration,
             {.name = "startup-boost-duration",
              .bounds = between(Duration::zero(), kYear),
              .help = "Time for which a replica counts as starting for startup-boost-factor."});
}

void declare_hybrid_sizes(Schema<Hybrid>& schema) {
  schema.add(&Hybrid::cpu_percentile,
             {.name = "hybrid-cpu-percentile",
              .bounds = between(0, 1),
              .help = "Percentile of CPU usage that is the minimum of the target."});
  schema.add(&Hybrid::memory_percentile,
             {.name = "hybrid-memory-percentile",
              .bounds = between(0, 1),
              .help = "Percentile of memory peaks that is the minimum of the target."});
  schema.add(
      &Hybrid::margin_fraction,
      {.name = "hybrid-margin-fraction",
       .bounds = between(0, 10),
       .help =
           "Fraction added to percentile, sliding maximum and start-up peak as a safety margin."});
  schema.add(&Hybrid::cpu_window, {.name = "hybrid-cpu-window",
                                   .bounds = between(1s, kYear),
                                   .help = "Window of the sliding maximum of CPU usage."});
  schema.add(&Hybrid::memory_window, {.name = "hybrid-memory-window",
                                      .bounds = between(1s, kYear),
                                      .help = "Window of the sliding maximum of memory."});
}

void declare_hybrid_rise(Schema<Hybrid>& schema) {
  const Bounds part{.min = 0, .max = 1, .min_excluded = true};
  schema.add(&Hybrid::cpu_threshold,
             {.name = "hybrid-cpu-threshold",
              .bounds = part,
              .help = "Scale up when CPU usage exceeds this fraction of the target."});
  schema.add(&Hybrid::memory_threshold,
             {.name = "hybrid-memory-threshold",
              .bounds = part,
              .help = "Scale up when memory exceeds this fraction of the target."});
  schema.add(&Hybrid::cpu_up_factor, {.name = "hybrid-cpu-up-factor",
                                      .bounds = between(1, 100),
                                      .help = "A scale-up requests the CPU usage times this."});
  schema.add(&Hybrid::memory_up_factor,
             {.name = "hybrid-memory-up-factor",
              .bounds = between(1, 100),
              .help = "A scale-up requests the memory usage times this."});
  schema.add(&Hybrid::oom_hold, {.name = "hybrid-oom-hold",
                                 .bounds = between(Duration::zero(), kYear),
                                 .help = "Time after an OOM kill in which memory stays at least at "
                                         "the size to which it was raised."});
  schema.add(&Hybrid::startup, {.name = "hybrid-startup",
                                .bounds = between(Duration::zero(), kYear),
                                .help = "Time for which a replica counts as starting; its usage in "
                                        "that time is recorded separately."});
}

void declare_hybrid_calm(Schema<Hybrid>& schema) {
  schema.add(&Hybrid::hysteresis,
             {.name = "hybrid-hysteresis",
              .bounds = {.min = 0, .max = 1, .max_excluded = true},
              .help = "Scale down only by more than this fraction of the target."});
  schema.add(&Hybrid::changes_per_day,
             {.name = "hybrid-changes-per-day",
              .bounds = between(1, kMaxCrashes),
              .help = "Maximum number of scale-downs in 24 hours. Scale-ups are not limited."});
  schema.add(&Hybrid::lower_bound_fraction, {.name = "hybrid-lower-bound-fraction",
                                             .bounds = {.min = 0, .max = 1},
                                             .help = "Lower bound as a fraction of the target."});
  schema.add(&Hybrid::upper_bound_factor, {.name = "hybrid-upper-bound-factor",
                                           .bounds = between(1, 100),
                                           .help = "Upper bound as a multiple of the target."});
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
  schema.group("All policies");
  schema.add_choice(&Settings::policy,
                    {{"vpa", RecommenderPolicy::kVpa},
                     {"spike", RecommenderPolicy::kSpike},
                     {"hybrid", RecommenderPolicy::kHybrid}},
                    {.name = "policy",
                     .help = "vpa: histograms as in the Vertical Pod Autoscaler; spike: the spike "
                             "rule; hybrid: both combined."});
  schema.add(&Settings::min_cpu_millicores,
             {.name = "pod-recommendation-min-cpu-millicores",
              .bounds = between(0, 1e9),
              .help = "Minimum CPU of a replica, split evenly over its containers.",
              .unset = "25; bellows run and bellows up: 5 unless the policy is vpa"});
  schema.add(&Settings::min_memory_mebibytes,
             {.name = "pod-recommendation-min-memory-mb",
              .bounds = between(0, 1e7),
              .help = "Minimum memory of a replica in MiB, split evenly over its containers.",
              .unset = "250; bellows run and bellows up: 8 unless the policy is vpa"});
  schema.add(&Settings::round_cpu_millicores, {.name = "round-cpu-millicores",
                                               .bounds = between(1, 1e9),
                                               .help = "Round CPU up to a multiple of this."});
  schema.add(&Settings::round_memory_bytes, {.name = "round-memory-bytes",
                                             .bounds = between(1, 1e14),
                                             .help = "Round memory up to a multiple of this."});
  schema.add(&Settings::integer_cpu,
             {.name = "cpu-integer-post-processor-enabled",
              .help = "Allow annotations that request whole cores, per container."});
  schema.add(&Settings::max_allowed_cpu,
             {.name = "container-recommendation-max-allowed-cpu",
              .help = "Maximum CPU of a container whose own policy sets none.",
              .unset = "no limit"});
  schema.add(&Settings::max_allowed_memory,
             {.name = "container-recommendation-max-allowed-memory",
              .help = "Maximum memory of a container whose own policy sets none.",
              .unset = "no limit"});
}

}  // namespace

Duration HistorySettings::forgotten_after() const {
  return memory_aggregation_interval * memory_aggregation_interval_count;
}

const Schema<SpikeSettings>& spike_schema() {
  static const Schema<Spike> schema = [] {
    Schema<Spike> spike;
    spike.group("Spike rule (spike)");
    declare_six_parameters(spike);
    declare_spike_windows(spike);
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
        "scale-down-safety-factor times threshold-scale-up is at most 1: after a scale-down, usage "
        "that returns to the local maximum scales up again; raise the factor (at 0.7: above 1.43) "
        "or "
        "set auto-stable");
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
