// Settings of the recommender.
#include <algorithm>

#include "base/text_parts.hpp"
#include "config/recommender_program_settings.hpp"
#include "config/recommender_settings.hpp"
#include "config/recommender_source_settings.hpp"
#include "config/table.hpp"

namespace bellows::config {
namespace {

using namespace std::chrono_literals;

/// `run` and `up` have them with the prefix recommender-.
constexpr Programs kPolicies = Program::kRecommender | Program::kRecommenderServe | kMachine;
constexpr Duration kYear = 24h * 365;
constexpr double kMaxCrashes = 1'000'000;
constexpr Bounds kPart{.min = 0, .max = 1, .min_excluded = true};

/// The format of a Prometheus label name.
TextFormat label_format() {
  return {.want = "a label name: letters, digits and _, not beginning with a digit",
          .read = [](std::string_view text) -> std::optional<std::string> {
            const bool is_name = std::ranges::all_of(text, [](char c) {
              return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '_';
            });
            if (!is_name || (!text.empty() && text[0] >= '0' && text[0] <= '9')) return {};
            return std::string(text);
          }};
}

TextFormat job_format() {
  return {.want = "a job name without quotes and backslashes, or nothing",
          .read = [](std::string_view text) -> std::optional<std::string> {
            if (text.find_first_of("\"\\\n") != text.npos) return {};
            return std::string(text);
          }};
}

TextFormat policies_format() {
  return {.want = "a comma-separated list of vpa, spike and hybrid, such as vpa,spike",
          .read = [](std::string_view text) -> std::optional<std::string> {
            constexpr std::array<std::string_view, 3> kNames = {"vpa", "spike", "hybrid"};
            const auto is_policy = [&](std::string_view name) {
              return std::ranges::find(kNames, name) != kNames.end();
            };
            if (!text.empty() && !std::ranges::all_of(split(text, ','), is_policy)) return {};
            return std::string(text);
          }};
}

constexpr Setting kPrometheus[] = {
    {.name = "prometheus-address",
     .at = {at<&PrometheusSettings::endpoint>},
     .tier = Tier::kMain,
     .help = "Prometheus server to read usage from.",
     .unset = "Prometheus is not used"},
    {.name = "prometheus-cadvisor-job-name",
     .at = {at<&PrometheusSettings::job>},
     .tier = Tier::kCompatibility,
     .format = job_format,
     .help = "Job of the container series. Empty: any."},
    {.name = "workload-label",
     .at = {at<&PrometheusSettings::workload_label>},
     .format = label_format,
     .help = "Label with the name of the workload; its containers share one recommendation.",
     .unset = "the name of the pod without the suffixes of Deployments and StatefulSets"},
    {.name = "prometheus-timeout",
     .at = {at<&PrometheusSettings::timeout>},
     .bounds = between(100ms, 10min),
     .help = "Time limit of every query after the one for the history."},
};

constexpr Setting kFiles[] = {
    {.name = "usage-file",
     .at = {at<&RecommenderProgramSettings::usage_file>},
     .tier = Tier::kMain,
     .help = "File with usage, requests and events in replay format (docs/sizing.md); "
             "appended lines are read too.",
     .unset = "none"},
};

constexpr Setting kLoop[] = {
    {.name = "recommender-interval",
     .at = {at<&RecommenderLoopSettings::interval>},
     .bounds = between(100ms, 1h),
     .help = "Interval between recommendations. A crash or an OOM "
             "kill on this machine triggers one at once."},
    {.name = "usage-interval",
     .at = {at<&RecommenderLoopSettings::usage_interval>},
     .bounds = between(100ms, 1h),
     .help = "Interval covered by one sample of a replica: its "
             "mean CPU usage and its memory peak. From Prometheus in whole seconds."},
    {.name = "shadow-policies",
     .at = {at<&RecommenderLoopSettings::shadow_policies>},
     .format = policies_format,
     .help = "Policies that run next to the chosen one, for "
             "comparison; their targets are in /metrics.",
     .unset = "none"},
    {.name = "checkpoint-file",
     .at = {at<&RecommenderLoopSettings::checkpoint_file>},
     .help = "File that keeps what was learned across restarts.",
     .unset = "what was learned is lost at a restart"},
};

constexpr Setting kAllPolicies[] = {
    {.name = "policy",
     .at = {at<&RecommenderSettings::policy>},
     .tier = Tier::kMain,
     .choices = {{"vpa", RecommenderPolicy::kVpa},
                 {"spike", RecommenderPolicy::kSpike},
                 {"hybrid", RecommenderPolicy::kHybrid}},
     .help = "vpa: histograms as in the Vertical Pod Autoscaler; spike: the spike "
             "rule; hybrid: both combined."},
    {.name = "pod-recommendation-min-cpu-millicores",
     .at = {at<&RecommenderSettings::min_cpu_millicores>},
     .tier = Tier::kCompatibility,
     .bounds = between(0, 1e9),
     .help = "Minimum CPU of a replica, split evenly over its containers.",
     .unset = "25; bellows run and bellows up: 5 unless the policy is vpa"},
    {.name = "pod-recommendation-min-memory-mb",
     .at = {at<&RecommenderSettings::min_memory_mebibytes>},
     .tier = Tier::kCompatibility,
     .bounds = between(0, 1e7),
     .help = "Minimum memory of a replica in MiB, split evenly over its containers.",
     .unset = "250; bellows run and bellows up: 8 unless the policy is vpa"},
};

constexpr Setting kHistory[] = {
    {.name = "target-cpu-percentile",
     .at = {at<&HistorySettings::target_cpu_percentile>},
     .tier = Tier::kCompatibility,
     .bounds = between(0, 1),
     .help = "Percentile of CPU usage that is the target."},
    {.name = "target-memory-percentile",
     .at = {at<&HistorySettings::target_memory_percentile>},
     .tier = Tier::kCompatibility,
     .bounds = between(0, 1),
     .help = "Percentile of memory peaks that is the target."},
    {.name = "recommendation-margin-fraction",
     .at = {at<&HistorySettings::margin_fraction>},
     .tier = Tier::kCompatibility,
     .bounds = between(0, 10),
     .help = "Fraction added to each percentile as a safety margin."},
    {.name = "oom-bump-up-ratio",
     .at = {at<&HistorySettings::oom_bump_up_ratio>},
     .tier = Tier::kCompatibility,
     .bounds = between(1, 100),
     .help = "After an OOM kill: the factor by which memory grows."},
    {.name = "oom-min-bump-up-bytes",
     .at = {at<&HistorySettings::oom_min_bump_up_bytes>},
     .tier = Tier::kCompatibility,
     .bounds = between(0, 1e14),
     .help = "After an OOM kill: the minimum number of bytes by which memory grows."},
};

constexpr Setting kSpike[] = {
    {.name = "scale-up-factor",
     .at = {at<&SpikeSettings::scale_up_factor>},
     .bounds = {.min = 1, .max = 100, .min_excluded = true},
     .help = "A scale-up requests the usage times this."},
    {.name = "scale-down-safety-factor",
     .at = {at<&SpikeSettings::scale_down_safety_factor>},
     .bounds = within(1, 2),
     .help = "A scale-down requests the local maximum times this. Best below 1.5."},
    {.name = "threshold-monitor-time-window",
     .at = {at<&SpikeSettings::monitor_window>},
     .bounds = between(1s, kYear),
     .help = "Window of the local maximum."},
    {.name = "threshold-num-crashes",
     .at = {at<&SpikeSettings::num_crashes>},
     .bounds = between(1, kMaxCrashes),
     .help = "Number of crashes that doubles CPU and memory regardless of the usage."},
    {.name = "threshold-scale-up",
     .at = {at<&SpikeSettings::threshold_scale_up>},
     .bounds = {.min = 0, .max = 1, .min_excluded = true},
     .help = "Scale up when the usage exceeds this fraction of the request."},
    {.name = "threshold-scale-down",
     .at = {at<&SpikeSettings::threshold_scale_down>},
     .bounds = {.min = 0, .max = 1, .max_excluded = true},
     .help = "Scale down when usage and local maximum are below this fraction of the request."},
    {.name = "window",
     .at = {at<&SpikeSettings::window>},
     .choices = {{"tumbling", MaximumWindow::kTumbling}, {"sliding", MaximumWindow::kSliding}},
     .variable = "BELLOWS_SPIKE_WINDOW",
     .help = "tumbling: the local maximum restarts when its window ends; sliding: it always "
             "covers the latest window."},
};

constexpr Setting kHybrid[] = {
    {.name = "hybrid-window",
     .at = {at<&HybridSettings::window>},
     .bounds = between(1s, kYear),
     .help = "Window of the sliding maximum of usage."},
    {.name = "hybrid-hysteresis",
     .at = {at<&HybridSettings::hysteresis>},
     .bounds = {.min = 0, .max = 1, .max_excluded = true},
     .help = "Scale down only by more than this fraction of the target."},
    {.name = "hybrid-changes-per-day",
     .at = {at<&HybridSettings::changes_per_day>},
     .bounds = between(1, kMaxCrashes),
     .help = "Maximum number of scale-downs in 24 hours. Scale-ups are not limited."},
};

}  // namespace

std::span<const Group> recommender_groups() {
  static constexpr Group kGroups[] = {
      {"Prometheus", Program::kRecommenderServe, kPrometheus},
      {"Files", Program::kRecommenderServe, kFiles},
      {"Recommending sizes", Program::kRecommenderServe | kMachine, kLoop},
      {"All policies", kPolicies, kAllPolicies},
      {"History (vpa, hybrid)", kPolicies, kHistory},
      {"Spike rule (spike)", kPolicies, kSpike},
      {"Hybrid", kPolicies, kHybrid},
  };
  return kGroups;
}

}  // namespace bellows::config
