#include "config/recommender_source_settings.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "config/schema.hpp"

namespace bellows::config {

namespace {

using namespace std::chrono_literals;

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
            const std::string list(text);
            while (!text.empty()) {
              const std::size_t length = std::min(text.find(','), text.size());
              if (std::ranges::find(kNames, text.substr(0, length)) == kNames.end()) return {};
              if (length + 1 == text.size()) return {};  // ends with a comma
              text.remove_prefix(std::min(length + 1, text.size()));
            }
            return list;
          }};
}

void declare_labels(Schema<PrometheusSettings>& schema) {
  using Settings = PrometheusSettings;
  schema.add(&Settings::job, {.name = "prometheus-cadvisor-job-name",
                              .format = job_format(),
                              .help = "Job of the container series. Empty: any."});
  schema.add(&Settings::namespace_label, {.name = "container-namespace-label",
                                          .format = label_format(),
                                          .help = "Label with the namespace of a pod."});
  schema.add(&Settings::pod_label, {.name = "container-pod-name-label",
                                    .format = label_format(),
                                    .help = "Label with the name of a pod."});
  schema.add(&Settings::container_label, {.name = "container-name-label",
                                          .format = label_format(),
                                          .help = "Label with the name of a container."});
  schema.add(
      &Settings::workload_label,
      {.name = "workload-label",
       .format = label_format(),
       .help = "Label with the name of the workload; its containers share one recommendation.",
       .unset = "the name of the pod without the suffixes of Deployments and StatefulSets"});
}

}  // namespace

const Schema<PrometheusSettings>& prometheus_schema() {
  using Settings = PrometheusSettings;
  static const Schema<Settings> schema = [] {
    Schema<Settings> prometheus;
    prometheus.group("Prometheus");
    prometheus.add(&Settings::endpoint, {.name = "prometheus-address",
                                         .help = "Prometheus server to read usage from.",
                                         .unset = "Prometheus is not used"});
    declare_labels(prometheus);
    prometheus.add(&Settings::history_length,
                   {.name = "history-length",
                    .bounds = between(1min, 8760h),
                    .help = "Length of the history that is read at start."});
    prometheus.add(&Settings::history_resolution,
                   {.name = "history-resolution",
                    .bounds = in_whole_seconds(between(1s, 24h)),
                    .help = "Interval between samples of the history."});
    prometheus.add(&Settings::history_timeout,
                   {.name = "history-timeout",
                    .bounds = between(100ms, 1h),
                    .help = "Time limit of the query for the history."});
    prometheus.add(&Settings::timeout, {.name = "prometheus-timeout",
                                        .bounds = between(100ms, 10min),
                                        .help = "Time limit of every later query."});
    prometheus.add(&Settings::interval, {.name = "prometheus-interval",
                                         .bounds = in_whole_seconds(between(1s, 1h)),
                                         .help = "Interval between later samples."});
    return prometheus;
  }();
  return schema;
}

RecommenderLoopSettings one_machine_loop() {
  RecommenderLoopSettings settings;
  settings.interval = 10s;
  settings.usage_interval = 10s;
  return settings;
}

const Schema<RecommenderLoopSettings>& recommender_loop_schema() {
  using Settings = RecommenderLoopSettings;
  static const Schema<Settings> schema = [] {
    Schema<Settings> loop;
    loop.group("Recommending sizes");
    loop.add(&Settings::interval, {.name = "recommender-interval",
                                   .bounds = between(100ms, 1h),
                                   .help = "Interval between recommendations. A crash or an OOM "
                                           "kill on this machine triggers one at once."});
    loop.add(&Settings::usage_interval, {.name = "usage-interval",
                                         .bounds = between(100ms, 1h),
                                         .help = "Interval covered by one sample of a replica: its "
                                                 "mean CPU usage and its memory peak."});
    loop.add(&Settings::shadow_policies, {.name = "shadow-policies",
                                          .format = policies_format(),
                                          .help = "Policies that run next to the chosen one, for "
                                                  "comparison; their targets are in /metrics.",
                                          .unset = "none"});
    loop.add(&Settings::checkpoint_file,
             {.name = "checkpoint-file",
              .help = "File that keeps what was learned across restarts.",
              .unset = "what was learned is lost at a restart"});
    loop.add(&Settings::checkpoint_interval,
             {.name = "checkpoint-interval",
              .bounds = between(1s, 24h),
              .help = "Interval between writes of the checkpoint file."});
    return loop;
  }();
  return schema;
}

}  // namespace bellows::config
