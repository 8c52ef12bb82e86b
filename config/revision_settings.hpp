// What one revision asks for: scaling and serving. Names and defaults are Knative's where it has
// them (config-autoscaler, config-defaults, autoscaling.knative.dev/* annotations).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::config {

/// Declared field by field, with bounds and help, in revision_settings.cpp; docs/settings.md is
/// made from there.
struct RevisionSettings {
  // Load a replica should carry.
  std::int32_t container_concurrency =
      0;  ///< hard limit of requests in flight in one replica; 0 = none
  std::optional<double>
      target;  ///< wanted requests in flight per replica; unset: see total_target()
  double target_utilization_percentage = 70;  ///< how much of the target to plan with
  double target_default = 100;  ///< container-concurrency-target-default: target if neither is set

  // Windows and modes.
  Duration window = std::chrono::seconds(60);  ///< stable window
  double panic_window_percentage = 10;         ///< of the stable window
  double panic_threshold_percentage = 200;     ///< of the target: panic mode from here on
  double max_scale_up_rate = 10;               ///< at most this many times the observed replicas
  double target_burst_capacity =
      211;  ///< spare room wanted before the activator leaves the path; -1 = never

  // Bounds.
  PodCount min_scale = 0;
  PodCount max_scale = 0;      ///< 0 = none
  PodCount initial_scale = 1;  ///< replicas when the revision is first deployed
  bool enable_scale_to_zero = true;
  Duration scale_to_zero_grace_period = std::chrono::seconds(30);

  // Time limits of one request; zero = none.
  Duration request_timeout = std::chrono::seconds(300);  ///< revision-timeout-seconds
  Duration response_start_timeout = Duration::zero();    ///< zero: as request_timeout
  Duration idle_timeout = Duration::zero();

  // Waiting for a replica (activator) or for a slot (queue-proxy).
  std::int64_t queue_depth = 10000;               ///< requests held by the activator
  Bytes queue_bytes = mebibytes(64);              ///< memory of held requests
  Duration queue_age = std::chrono::seconds(60);  ///< the longest a request is held
  Duration progress_deadline =
      std::chrono::seconds(60);  ///< a replica not ready by then is in trouble
  Duration drain_timeout =
      std::chrono::seconds(300);  ///< the longest a leaving replica may finish requests

  // Readiness: an HTTP path of the app, or empty for a TCP connect.
  std::string readiness_path;

  /// Requests in flight that one replica is sized for before utilisation: `target`, held below
  /// container_concurrency; else container_concurrency; else target_default (knative.md 1.4, cases
  /// 36-39).
  double total_target() const;
  /// What the decider divides by: total_target() * utilisation, at least 0.01.
  double effective_target() const;
  /// panic_window_percentage of the window, rounded to whole seconds, at least 1 s.
  Duration panic_window() const;

  bool operator==(const RevisionSettings&) const = default;
};

}  // namespace bellows::config
