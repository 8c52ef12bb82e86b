// core/v1 Pod: its used part.
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

/// The end of a container.
struct Termination {
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
  std::string reason;   ///< "OOMKilled", "Error", "Completed", ...
  std::string message;  ///< as all messages here: printable, at most 1024 bytes
  std::optional<WallTime> finished;
  bool operator==(const Termination&) const = default;
};

/// The reason why a container does not run yet or restarts.
struct Waiting {
  std::string reason;  ///< "ImagePullBackOff", "CrashLoopBackOff", "ContainerCreating", ...
  std::string message;
  bool operator==(const Waiting&) const = default;
};

struct ContainerStatus {
  std::string name;
  bool ready = false;
  bool started = false;  ///< its startup probe has succeeded, or it runs without one
  std::int32_t restart_count = 0;
  std::optional<WallTime> running_since;  ///< set while it runs
  Rare<Waiting> waiting;
  Rare<Termination> terminated;
  Rare<Termination> last_termination;  ///< of the previous run
  bool operator==(const ContainerStatus&) const = default;
};

struct Pod {
  ObjectMeta meta;                   ///< annotations: only those of keep_pod_meta()
  std::string node_name;             ///< empty: not scheduled
  SharedList<Container> containers;  ///< in the spec's order, then sidecars
  std::optional<std::int64_t> termination_grace_seconds;

  PodPhase phase = PodPhase::kUnknown;
  std::string reason;  ///< reason of the phase: "Evicted", "NodeLost", ...
  std::string message;
  std::string pod_ip;                 ///< empty until it is assigned
  std::optional<WallTime> started;    ///< when the kubelet acknowledged it
  std::vector<Condition> conditions;  ///< Ready, PodScheduled, ContainersReady; others are dropped
  std::vector<ContainerStatus> container_statuses;
  std::vector<ContainerStatus> init_container_statuses;

  const Condition* condition(std::string_view type) const {
    return find_condition(conditions, type);
  }
  bool is_ready() const;  ///< condition Ready is True
  bool operator==(const Pod&) const = default;

  /// Shares its parts with equal ones of other pods in the store.
  void share_with(SharedParts& parts);

  static const FieldSet& fields();
  static Result<Pod> from(const boost::json::object& pruned);
};

}  // namespace bellows::kubernetes
