#include "config/recommender_source_settings.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "config/schema.hpp"

namespace bellows::config {

namespace {

using namespace std::chrono_literals;

/// Prometheus' names of labels.
TextFormat label_format() {
  return {.want = "a label's name: letters, digits and _, not beginning with a digit",
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
  return {.want = "a job's name without quotes and backslashes, or nothing",
          .read = [](std::string_view text) -> std::optional<std::string> {
            if (text.find_first_of("\"\\\n") != text.npos) return {};
            return std::string(text);
          }};
}

TextFormat policies_format() {
  return {.want = "policies with commas between them, of vpa, spike and hybrid: vpa,spike",
          .read = [](std::string_view text) -> std::optional<std::string> {
            constexpr std::array<std::string_view, 3> kNames = {"vpa", "spike", "hybrid"};
            const std::string kept(text);
            while (!text.empty()) {
              const std::size_t length = std::min(text.find(','), text.size());
              if (std::ranges::find(kNames, text.substr(0, length)) == kNames.end()) return {};
              if (length + 1 == text.size()) return {};  // ends with a comma
              text.remove_prefix(std::min(length + 1, text.size()));
            }
            return kept;
          }};
}

void declare_labels(Schema<PrometheusSettings>& schema) {
  using Settings = PrometheusSettings;
  schema.add(&Settings::job, {.name = "prometheus-cadvisor-job-name",
                              .format = job_format(),
                              .help = "The job whose series are of containers. Nothing: any."});
  schema.add(&Settings::namespace_label, {.name = "container-namespace-label",
                                          .format = label_format(),
                                          .help = "The label with a pod's namespace."});
  schema.add(&Settings::pod_label, {.name = "container-pod-name-label",
                                    .format = label_format(),
                                    .help = "The label with a pod's name."});
  schema.add(&Settings::container_label, {.name = "container-name-label",
                                          .format = label_format(),
                                          .help = "The label with a container's name."});
  schema.add(&Settings::workload_label,
             {.name = "workload-label",
              .format = label_format(),
              .help = "The label with the name of what is sized alike.",
              .unset = "the pod's name without what Deployments and StatefulSets append"});
}

}  // namespace

const Schema<PrometheusSettings>& prometheus_schema() {
  using Settings = PrometheusSettings;
  static const Schema<Settings> schema = [] {
    Schema<Settings> prometheus;
    prometheus.group("Prometheus");
    prometheus.add(&Settings::endpoint, {.name = "prometheus-address",
                                         .help = "A Prometheus to learn usage from.",
                                         .unset = "none is asked"});
    declare_labels(prometheus);
    prometheus.add(&Settings::history_length,
                   {.name = "history-length",
                    .bounds = between(1min, 8760h),
                    .help = "How much of its history is read at the start."});
    prometheus.add(&Settings::history_resolution, {.name = "history-resolution",
                                                   .bounds = in_whole_seconds(between(1s, 24h)),
                                                   .help = "The time between two samples of it."});
    prometheus.add(&Settings::history_timeout, {.name = "history-timeout",
                                                .bounds = between(100ms, 1h),
                                                .help = "How long it may take to answer that."});
    prometheus.add(&Settings::timeout, {.name = "prometheus-timeout",
                                        .bounds = between(100ms, 10min),
                                        .help = "How long it may take to answer later."});
    prometheus.add(&Settings::interval, {.name = "prometheus-interval",
                                         .bounds = in_whole_seconds(between(1s, 1h)),
                                         .help = "The time between two later samples."});
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
                                   .help = "Time between two recommendations; a crash or an OOM "
                                           "kill on this machine does not wait for it."});
    loop.add(&Settings::usage_interval,
             {.name = "usage-interval",
              .bounds = between(100ms, 1h),
              .help = "Time that one CPU mean and one memory peak of a replica is made of."});
    loop.add(&Settings::shadow_policies,
             {.name = "shadow-policies",
              .format = policies_format(),
              .help = "Policies that run beside the chosen one; their targets are in /metrics.",
              .unset = "the chosen one runs alone"});
    loop.add(&Settings::checkpoint_file, {.name = "checkpoint-file",
                                          .help = "Where what was learned is kept across restarts.",
                                          .unset = "it is not kept"});
    loop.add(&Settings::checkpoint_interval, {.name = "checkpoint-interval",
                                              .bounds = between(1s, 24h),
                                              .help = "Time between two savings of it."});
    return loop;
  }();
  return schema;
}

}  // namespace bellows::config
