// What to do about a recommendation, and when: the sizes that new replicas start with, and which
// running ones are resized. Pure.
//
// Vertical and horizontal must not fight. While the autoscaler is in panic or brings replicas up,
// nothing that runs is resized: its use is not what it will be in a minute. A replica whose app is
// down is the exception, because a service whose replicas are all OOM-killed looks like one that
// is scaled up for ever: it may grow, and only grow, before it is started again. After a resize
// the next one waits until the concurrency and the use have been read anew for a whole window
// (`settle`); only more memory does not wait.
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
  ReplicaSize size = {};                  ///< that it has now
  std::optional<Bytes> memory_use = {};   ///< unknown: its memory is never shrunk
  std::optional<TimePoint> resized = {};  ///< when its size last changed
  bool is_down = false;                   ///< its app has ended and will be started again
  bool is_leaving = false;                ///< draining: left alone
};

/// What the autoscaler is about to do with the service.
struct ScalingState {
  bool is_panic = false;
  bool is_growing = false;  ///< replicas were ordered that are not ready yet
};

struct SizingInput {
  config::ResourcesSettings settings;
  Sizes advice;              ///< amounts that are unset: nothing is recommended
  ReplicaSize for_new = {};  ///< what new replicas got until now
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
  std::string note;             ///< why it is advice only, or what is waited for; empty: nothing
  bool operator==(const SizingPlan&) const = default;
};

/// A hard limit stays at least this far above what is used (as a factor).
inline constexpr double kLimitOverUse = 1.2;
/// A request that is off by less than this part is left as it is, if it lies within the bounds.
inline constexpr double kWorthResizing = 0.1;

/// VPA's greatest amount: an upper bound that says that too little is known for one.
inline constexpr Bytes kUnbounded{100'000'000'000'000};

SizingPlan plan_sizes(const SizingInput& input, TimePoint now);

/// The size that `settings` and `advice` ask for: a request is the target, or the first request
/// while there is no target, and is governed only if a first request is set; the hard limit is the
/// upper bound, and there is none before there is advice.
ReplicaSize wanted_size(const config::ResourcesSettings& settings, const Sizes& advice);

/// `size` with its hard limit at least kLimitOverUse above `use` and not below its request.
ReplicaSize safe_for(ReplicaSize size, std::optional<Bytes> use);

/// "cpu 250m, memory 64Mi, limit 128Mi", or "not governed".
std::string to_string(const ReplicaSize& size);

}  // namespace bellows::recommender
