// Decides how and when a recommendation is applied: the size of new replicas, and which running
// ones are resized. Pure.
//
// Vertical and horizontal scaling must not work against each other. While the autoscaler is in
// panic mode or adds replicas, no running replica is resized: its usage is about to change. A
// replica whose app is down is the exception, because a service whose replicas are all OOM-killed
// looks like one that is scaled up for ever: it may grow, never shrink, before its restart. After a
// resize the next one waits until concurrency and usage were measured for a whole window
// (`settle`); only an increase of memory does not wait.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/replica_size.hpp"
#include "base/time.hpp"
#include "config/resources_settings.hpp"
#include "recommender/core/recommendation.hpp"

namespace bellows::recommender {

struct SizedReplica {
  PodName name;
  ReplicaSize size = {};                  ///< the current size
  std::optional<Bytes> memory_use = {};   ///< nullopt: unknown, so its memory is never reduced
  std::optional<TimePoint> resized = {};  ///< last change of its size
  bool is_down = false;                   ///< its app has ended and will be restarted
  bool is_leaving = false;                ///< draining: never resized
};

/// The state of horizontal scaling of the service.
struct ScalingState {
  bool is_panic = false;
  bool is_growing = false;  ///< requested replicas are not ready yet
};

struct SizingInput {
  config::ResourcesSettings settings;
  Sizes advice;              ///< unset amounts: no recommendation
  ReplicaSize for_new = {};  ///< the current size of new replicas
  std::vector<SizedReplica> replicas;
  ScalingState scaling;
  Duration settle = std::chrono::seconds(60);
  std::string cannot_write = {};  ///< why sizes cannot be set here; empty: possible
};

struct Resize {
  PodName replica;
  ReplicaSize size;
  std::string reason;  ///< "memory 64Mi -> 128Mi, limit 256Mi"
  bool operator==(const Resize&) const = default;
};

struct SizingPlan {
  ReplicaSize for_new = {};     ///< empty: new replicas are not managed
  std::vector<Resize> resizes;  ///< in the order of the replicas
  std::string note;  ///< why it is advice only, what it waits for, or what limits it; or empty
  bool operator==(const SizingPlan&) const = default;
};

/// Minimum of a hard limit as a multiple of the usage.
inline constexpr double kLimitOverUse = 1.2;
/// A request within the bounds is changed only by at least this fraction.
inline constexpr double kMinRelativeChange = 0.1;

SizingPlan plan_sizes(const SizingInput& input, TimePoint now);

/// Returns the size that results from `settings` and `advice`. A request is the target, or the
/// first request while there is no target, and is managed only if a first request is set. The hard
/// limit is the upper bound; there is none before there is advice, nor with requests-only.
ReplicaSize desired_size(const config::ResourcesSettings& settings, const Sizes& advice);

/// Returns `size` with a hard limit of at least kLimitOverUse times `use` and at least its request.
ReplicaSize with_safe_limit(ReplicaSize size, std::optional<Bytes> use);

/// Returns "cpu 250m, memory 64Mi, limit 128Mi", or "not governed".
std::string to_string(const ReplicaSize& size);

}  // namespace bellows::recommender
