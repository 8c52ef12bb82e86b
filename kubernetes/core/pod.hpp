// core/v1 Pod: what is used of it.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "kubernetes/core/condition.hpp"
#include "kubernetes/core/container.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/object_meta.hpp"
#include "kubernetes/core/rare.hpp"
#include "kubernetes/core/shared_list.hpp"

namespace bellows::kubernetes {

struct SharedParts;

enum class PodPhase : std::uint8_t { kUnknown, kPending, kRunning, kSucceeded, kFailed };

/// How a container ended.
struct Termination {
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
  std::string reason;  ///< "OOMKilled", "Error", "Completed", ...
  std::string message;
  std::optional<WallTime> finished;
  bool operator==(const Termination&) const = default;
};

/// Why a container does not run yet, or again.
struct Waiting {
  std::string reason;  ///< "ImagePullBackOff", "CrashLoopBackOff", "ContainerCreating", ...
  std::string message;
  bool operator==(const Waiting&) const = default;
};

struct ContainerStatus {
  std::string name;
  bool ready = false;
  bool started = false;  ///< its startup probe has succeeded, or it has none and runs
  std::int32_t restart_count = 0;
  std::optional<WallTime> running_since;  ///< set while it runs
  Rare<Waiting> waiting;
  Rare<Termination> terminated;
  Rare<Termination> last_termination;  ///< of the run before
  bool operator==(const ContainerStatus&) const = default;
};

struct Pod {
  ObjectMeta meta;                   ///< annotations: only those of keep_pod_meta()
  std::string node_name;             ///< empty: not scheduled
  SharedList<Container> containers;  ///< in the spec's order, then sidecars
  std::optional<std::int64_t> termination_grace_seconds;

  PodPhase phase = PodPhase::kUnknown;
  std::string reason;  ///< of the phase: "Evicted", "NodeLost", ...
  std::string message;
  std::string pod_ip;                 ///< empty until it has one
  std::optional<WallTime> started;    ///< the kubelet has seen it
  std::vector<Condition> conditions;  ///< Ready, PodScheduled, ContainersReady; others are dropped
  std::vector<ContainerStatus> container_statuses;
  std::vector<ContainerStatus> init_container_statuses;

  const Condition* condition(std::string_view type) const {
    return find_condition(conditions, type);
  }
  bool is_ready() const;  ///< its condition Ready is True
  bool operator==(const Pod&) const = default;

  /// Gives it the parts that other pods of the store have too.
  void share_with(SharedParts& parts);

  static const FieldSet& fields();
  static Result<Pod> from(const boost::json::object& pruned);
};

}  // namespace bellows::kubernetes
