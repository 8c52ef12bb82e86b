// What one revision asks for: scaling and serving. Names and defaults are Knative's where it has
// them (config-autoscaler, config-defaults, autoscaling.knative.dev/* annotations).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.hpp"
#include "base/units.hpp"
#include "config/load_measure.hpp"
#include "config/request_policies.hpp"
#include "config/resources_settings.hpp"
#include "config/scaling_rules.hpp"

namespace bellows::config {

enum class Profile : std::uint8_t { kBellows, kKnative, kSeed };
/// Knative's other class, for the HPA, and foreign ones are not stood in for.
enum class AutoscalerClass : std::uint8_t { kKpa };

/// Declared field by field, with bounds and help, in revision_schema.cpp; docs/settings.md is
/// made from there.
struct RevisionSettings {
  /// Brings its own values for what nobody sets (config/profiles.hpp).
  Profile profile = Profile::kBellows;

  AutoscalerClass autoscaler_class = AutoscalerClass::kKpa;  ///< pod-autoscaler-class

  // Load a replica should carry.
  Metric metric = Metric::kConcurrency;
  Aggregation aggregation = Aggregation::kLinear;  ///< metric-aggregation-algorithm
  std::int32_t container_concurrency =
      0;                         ///< hard limit of requests in flight in one replica; 0 = none
  std::optional<double> target;  ///< wanted load per replica; unset: see total_target()
  std::optional<double> target_utilization_percentage;  ///< how much of the target to plan with
  /// The same if it is unset. Up to 1 it is a fraction: see
  /// container_concurrency_target_fraction().
  double container_concurrency_target_percentage = 70;
  double target_default = 100;      ///< container-concurrency-target-default: target if neither set
  double rps_target_default = 200;  ///< requests-per-second-target-default
  std::optional<double> cpu_utilization;     ///< percent of the request; unset: not looked at
  std::optional<double> memory_utilization;  ///< the same

  LoadBalancing load_balancing = LoadBalancing::kLeastLoaded;

  // Windows and modes.
  Duration window = std::chrono::seconds(60);    ///< stable window
  double panic_window_percentage = 10;           ///< of the stable window
  double panic_threshold_percentage = 200;       ///< of the target: panic mode from here on
  double max_scale_up_rate = 10;                 ///< at most this many times the counted replicas
  double max_scale_down_rate = 2;                ///< at least the counted replicas divided by this
  Duration scale_down_delay = Duration::zero();  ///< a lower number must last this long
  double target_burst_capacity =
      211;  ///< spare room wanted before the activator leaves the path; -1 = never

  // Bounds.
  PodCount min_scale = 0;
  PodCount max_scale = 0;        ///< 0 = none
  PodCount max_scale_limit = 0;  ///< the greatest max_scale that may be asked for; 0 = none
  PodCount initial_scale = 1;    ///< replicas when the revision is first deployed
  bool allow_zero_initial_scale = false;
  std::optional<PodCount> activation_scale;  ///< the least number that is not zero
  bool enable_scale_to_zero = true;
  Duration scale_to_zero_grace_period = std::chrono::seconds(30);
  Duration scale_to_zero_pod_retention_period = Duration::zero();
  std::int32_t activator_capacity = 100;  ///< concurrent requests that one activator takes

  ScalingRules rules;

  // Time limits of one request; zero = none.
  Duration request_timeout = std::chrono::seconds(300);  ///< revision-timeout-seconds
  Duration response_start_timeout = Duration::zero();    ///< zero: as request_timeout
  Duration idle_timeout = Duration::zero();

  // Waiting for a replica (activator) or for a slot (queue-proxy).
  std::int64_t queue_depth = 10000;               ///< requests held by the activator
  Bytes queue_bytes = mebibytes(64);              ///< memory of held requests
  Duration queue_age = std::chrono::seconds(60);  ///< the longest a request is held
  QueueTimeHeader queue_time_header = QueueTimeHeader::kWaited;
  Duration progress_deadline =
      std::chrono::seconds(60);           ///< a replica not ready by then is in trouble
  std::optional<Duration> drain_timeout;  ///< of a leaving replica; unset: see drain_time()

  // Requests that only ask whether somebody is there: answered by Bellows, waking nobody.
  std::string probe_user_agents;  ///< beginnings of a User-Agent, with commas between them
  std::string probe_paths;        ///< whole paths, with commas between them

  // Readiness: an HTTP path of the app, or empty for a TCP connect.
  std::string readiness_path;

  // CPU and memory of each replica.
  ResourcesSettings resources;

  /// What one replica is sized for before utilisation. In requests in flight: `target`, held below
  /// container_concurrency; else container_concurrency; else target_default. In requests a second:
  /// `target`, else rps_target_default (knative.md 1.4, cases 36-40).
  double total_target() const;
  /// What the decider divides by: total_target() * utilisation, at least 0.01. For requests a
  /// second container_concurrency_target_percentage says nothing: 70 % unless the revision says so.
  double effective_target() const;
  /// From 0 (excluded) to 1.
  double container_concurrency_target_fraction() const;
  /// panic_window_percentage of the window, rounded to whole seconds, at least 1 s.
  Duration panic_window() const;

  /// The longest a leaving replica may finish requests: drain_timeout, else request_timeout, else
  /// 5 minutes.
  Duration drain_time() const { return config::drain_time(drain_timeout, request_timeout); }

  bool operator==(const RevisionSettings&) const = default;

 private:
  double target_fraction() const;
};

}  // namespace bellows::config
