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
  std::optional<Bytes> memory_use = {};   ///< nothing: unknown, so its memory is never reduced
  std::optional<TimePoint> resized = {};  ///< when its size last changed
  bool is_down = false;                   ///< its app ended and will be restarted
  bool is_leaving = false;                ///< draining: left alone
};

/// The state of horizontal scaling of the service.
struct ScalingState {
  bool is_panic = false;
  bool is_growing = false;  ///< requested replicas are not ready yet
};

struct SizingInput {
  config::ResourcesSettings settings;
  Sizes advice;              ///< amounts that are unset: nothing is recommended
  ReplicaSize for_new = {};  ///< the current size of new replicas
  std::vector<SizedReplica> replicas;
  ScalingState scaling;
  Duration settle = std::chrono::seconds(60);
  std::string cannot_write = {};  ///< why sizes cannot be set here; empty: they can
};

struct Resize {
  PodName replica;
  ReplicaSize size;
  std::string reason;  ///< "memory 64Mi -> 128Mi, limit 256Mi"
  bool operator==(const Resize&) const = default;
};

struct SizingPlan {
  ReplicaSize for_new = {};     ///< empty: new replicas are not governed
  std::vector<Resize> resizes;  ///< in the order of the replicas
  std::string note;             ///< why it is advice only, or what it waits for; empty: neither
  bool operator==(const SizingPlan&) const = default;
};

/// A hard limit is at least the usage times this.
inline constexpr double kLimitOverUse = 1.2;
/// A request within the bounds is not changed by less than this fraction.
inline constexpr double kMinRelativeChange = 0.1;

/// VPA's maximum amount: as an upper bound it means that too little is known for one.
inline constexpr Bytes kUnbounded{100'000'000'000'000};

SizingPlan plan_sizes(const SizingInput& input, TimePoint now);

/// The size that results from `settings` and `advice`: a request is the target, or the first
/// request while there is no target, and is governed only if a first request is set; the hard limit
/// is the upper bound, and there is none before there is advice, nor with requests-only.
ReplicaSize desired_size(const config::ResourcesSettings& settings, const Sizes& advice);

/// `size` with its hard limit at least kLimitOverUse above `use` and not below its request.
ReplicaSize with_safe_limit(ReplicaSize size, std::optional<Bytes> use);

/// "cpu 250m, memory 64Mi, limit 128Mi", or "not governed".
std::string to_string(const ReplicaSize& size);

}  // namespace bellows::recommender
