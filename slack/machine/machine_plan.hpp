// Plans room on one machine: the machine is the one node, replicas are its pods, and the next
// replica of the busiest service is the placeholder. It reports which starts would not fit, and
// which services are scaled down so that this one does. Pure: services in, a plan out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "slack/core/plan.hpp"
#include "slack/core/resources.hpp"

namespace bellows::slack {

/// A capacity that is not limited: more than any replica takes.
inline constexpr std::int64_t kNotCounted = std::int64_t{1} << 50U;

struct MachineReplica {
  std::string name{};  ///< unique within its service
  Resources size{};
};

/// A service of the machine. Amounts without a size are 0.
struct MachineService {
  std::string name{};                      ///< of its revision, unique
  std::string service{};                   ///< for people; several revisions may have the same
  Resources next{};                        ///< size of its next replica
  std::vector<MachineReplica> replicas{};  ///< those that stay, starting ones included
  std::int64_t needed = 0;                 ///< minimum of its replicas
  std::int64_t max_scale = 0;              ///< 0: none
  double demand = 0;                       ///< replicas that its load takes, not rounded; 0: idle
};

struct MachineInput {
  Resources capacity{kNotCounted, kNotCounted, kNotCounted};
  std::vector<MachineService> services{};
  /// MachinePlan::busiest of the previous plan: another service has to be clearly busier.
  std::string busiest_before{};
};

/// The room of one service.
struct ServiceRoom {
  std::string name{};
  std::string service{};
  std::int64_t replicas = 0;
  Resources next{};
  std::int64_t fit_more = 0;          ///< next replicas that fit beside all existing ones
  std::optional<std::int64_t> limit;  ///< lower number of replicas, for the busiest service
  bool operator==(const ServiceRoom&) const = default;
};

struct MachinePlan {
  Resources capacity{};
  Resources used{};           ///< by all replicas
  std::string busiest{};      ///< room for its next replica is reserved; empty: no service has load
  bool is_room_kept = false;  ///< that replica fits, at the latest when the limits are reached
  std::vector<ServiceRoom> services{};  ///< by name
  /// Starts that would not fit, and the numbers that would, reported in advance.
  std::vector<Unmet> unmet{};
};

/// A service is busier than another if its load takes more replicas by this fraction.
inline constexpr double kClearlyBusier = 0.1;

/// Plans the machine. Other services are scaled down only if the next replica fits then, or if more
/// replicas exist than fit: idle services first, then those with most replicas beyond what they
/// need, and no more than necessary. No room is reserved for a busiest service that has more
/// replicas than it needs, because its next one runs already. Equal inputs give equal plans, in any
/// order of services and replicas.
MachinePlan plan_machine(const MachineInput& input);

/// Returns the amount; 0, which a user sets for "not counted", becomes kNotCounted.
constexpr std::int64_t counted(std::int64_t amount) {
  return amount == 0 ? kNotCounted : amount;
}

}  // namespace bellows::slack
