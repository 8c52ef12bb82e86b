// The settings of one revision: scaling and serving. Names and defaults are Knative's where it has
// them (config-autoscaler, config-defaults, autoscaling.knative.dev/* annotations).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "base/units.hpp"
#include "config/caller_settings.hpp"
#include "config/load_measure.hpp"
#include "config/request_policies.hpp"
#include "config/resources_settings.hpp"
#include "config/scaling_rules.hpp"
#include "config/slow_brain_settings.hpp"

namespace bellows::config {

enum class Profile : std::uint8_t { kBellows, kKnative, kSeed };

/// Selects the replicas that no scale-down removes.
enum class OccupiedBy : std::uint8_t {
  kDefault,  ///< kSaid while the concurrency decider alone decides, else kServing
  kServing,  ///< a request in flight, a tunnel, or its own report
  kSaid,     ///< a tunnel, or its own report
  kNothing,
};

/// The origin of RevisionSettings::min_scale.
enum class MinScaleFrom : std::uint8_t {
  kSetting,    ///< the user
  kDeploy,     ///< a running deploy or change of shares: the revision takes over
  kSlowBrain,  ///< for loads that jump
};
/// Returns "setting", "deploy" or "slow-brain".
std::string_view to_string(MinScaleFrom from);
/// Returns nullopt if there is no such name.
std::optional<MinScaleFrom> read_min_scale_from(std::string_view name);

/// The fields are declared, with bounds and help, in revision_schema.cpp, from which
/// docs/settings.md is made.
struct RevisionSettings {
  /// Sets the defaults (config/profiles.hpp).
  Profile profile = Profile::kBellows;

  // Target load of a replica.
  Metric metric = Metric::kConcurrency;
  Aggregation aggregation = Aggregation::kLinear;  ///< metric-aggregation-algorithm
  std::int32_t container_concurrency =
      0;                         ///< hard limit of requests in flight in one replica; 0 = none
  std::optional<double> target;  ///< target load per replica; unset: see total_target()
  std::optional<double> target_utilization_percentage;  ///< share of the target for which to plan
  double target_default = 100;                          ///< Knative's target if both are unset
  double rps_target_default = 200;                      ///< the same with metric rps
  std::optional<double> cpu_utilization;                ///< percent of the request; unset: ignored
  std::optional<double> memory_utilization;             ///< the same

  LoadBalancing load_balancing = LoadBalancing::kLeastLoaded;

  // Windows and modes.
  Duration window = std::chrono::seconds(60);    ///< stable window
  double panic_window_percentage = 10;           ///< of the stable window
  double panic_threshold_percentage = 200;       ///< of the target: panic mode begins
  double max_scale_up_rate = 1000;               ///< maximum factor per decision
  double max_scale_down_rate = 2;                ///< maximum divisor per decision
  Duration scale_down_delay = Duration::zero();  ///< before a scale-down
  double target_burst_capacity =
      211;  ///< spare capacity before the activator leaves the path; -1 = never leaves

  // Bounds.
  PodCount min_scale = 0;
  MinScaleFrom min_scale_from = MinScaleFrom::kSetting;  ///< see raise_min_scale(); not a setting
  PodCount max_scale = 0;                                ///< 0 = none
  PodCount initial_scale = 1;                            ///< replicas after the first deployment
  std::optional<PodCount> activation_scale;              ///< minimum while there is load
  bool enable_scale_to_zero = true;
  Duration scale_to_zero_grace_period = std::chrono::seconds(30);
  Duration scale_to_zero_pod_retention_period = Duration::zero();

  ScalingRules rules;

  // The policies, and settings of policies other than the concurrency decider.
  std::string policy;       ///< names, comma-separated; empty: see PolicyList::make()
  std::string autoscaling;  ///< parameters, a JSON object as text; empty: none
  OccupiedBy occupied_by = OccupiedBy::kDefault;  ///< the replicas that a scale-down keeps

  // Time limits of one request; zero = none.
  Duration request_timeout = std::chrono::seconds(300);  ///< revision-timeout-seconds
  Duration response_start_timeout = Duration::zero();    ///< zero: same as request_timeout
  Duration idle_timeout = Duration::zero();
  Duration max_tunnel_life = Duration::zero();

  // The request queue of the activator.
  std::int64_t queue_depth = 10000;               ///< maximum number of queued requests
  Bytes queue_bytes = mebibytes(64);              ///< maximum memory of queued requests
  Duration queue_age = std::chrono::seconds(60);  ///< maximum time in the queue
  QueueTimeHeader queue_time_header = QueueTimeHeader::kWaited;
  Duration progress_deadline = std::chrono::seconds(60);  ///< to become ready
  std::optional<Duration> drain_timeout;  ///< of a terminating replica; unset: see drain_time()

  // Probe requests: answered by Bellows, without starting a replica.
  std::string probe_user_agents;  ///< prefixes of User-Agent, comma-separated
  std::string probe_paths;        ///< whole paths, comma-separated

  // The settings of callers at the activator.
  CallerSettings callers;

  AppProtocol app_protocol = AppProtocol::kAuto;
  /// The port of an app that cannot be told another one, and has one replica. 0: each replica gets
  /// its own.
  std::uint16_t port = 0;

  // The readiness check: an HTTP path of the app, "grpc" or "grpc:SERVICE", or empty for a TCP
  // connect.
  std::string readiness_path;

  // The liveness check: an app that hangs is restarted. Empty: it is not probed.
  std::string liveness_path;  ///< an HTTP path of the app, "tcp", or a port
  Duration liveness_period = std::chrono::seconds(10);
  Duration liveness_timeout = std::chrono::seconds(1);
  std::int32_t liveness_threshold = 3;  ///< failures in a row until it hangs

  // CPU and memory of each replica.
  ResourcesSettings resources;

  // A target that is learned.
  SlowBrainSettings slow_brain;

  /// Returns the target load of a replica before utilization. In requests in flight: `target`,
  /// capped by container_concurrency; else container_concurrency; else target_default. In requests
  /// per second: `target`, else rps_target_default (knative.md 1.4, cases 36-40).
  double total_target() const;
  /// Returns the divisor of the decision: total_target() * utilization, at least 0.01. The
  /// utilization is 70 %, under profile seed 100 %, unless the revision sets it.
  double effective_target() const;
  /// Returns panic_window_percentage of the window, rounded to whole seconds, at least 1 s.
  Duration panic_window() const;

  /// Raises min_scale for a reason other than the user's setting; a lower `replicas` has no effect.
  void raise_min_scale(PodCount replicas, MinScaleFrom from);

  /// Returns the time that a terminating replica has to finish requests: drain_timeout, else
  /// request_timeout, else 5 minutes.
  Duration drain_time() const { return config::drain_time(drain_timeout, request_timeout); }

  bool operator==(const RevisionSettings&) const = default;

 private:
  double target_fraction() const;
};

}  // namespace bellows::config
