// Room on one machine: the machine is the one node, replicas are its pods, and the next replica of
// the busiest service is the placeholder. Says which starts would not fit, and which services come
// down so that this one does. Pure: services in, a plan out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "slack/core/plan.hpp"
#include "slack/core/resources.hpp"

namespace bellows::slack {

/// An amount that nobody counts: as a capacity, more than any replica takes.
inline constexpr std::int64_t kNotCounted = std::int64_t{1} << 50U;

struct MachineReplica {
  std::string name{};  ///< unique within its service
  Resources size{};
};

/// A service of the machine. Amounts that its replicas have no size for are 0.
struct MachineService {
  std::string name{};
  Resources next{};                        ///< what its next replica takes
  std::vector<MachineReplica> replicas{};  ///< those that stay, starting ones too
  std::int64_t needed = 0;                 ///< replicas that it is never lowered below
  std::int64_t max_scale = 0;              ///< 0: none
  double demand = 0;                       ///< replicas that its load takes, not rounded; 0: idle
};

struct MachineInput {
  Resources capacity{kNotCounted, kNotCounted, kNotCounted};
  std::vector<MachineService> services{};
  /// MachinePlan::busiest of the plan before: another service has to be clearly busier.
  std::string busiest_before{};
};

/// The room of one service.
struct ServiceRoom {
  std::string name{};
  std::int64_t replicas = 0;
  Resources next{};
  std::int64_t fit_more = 0;          ///< next replicas that fit beside all replicas there are
  std::optional<std::int64_t> limit;  ///< it should come down to so many, for the busiest service
  bool operator==(const ServiceRoom&) const = default;
};

struct MachinePlan {
  Resources capacity{};
  Resources used{};           ///< by all replicas
  std::string busiest{};      ///< room for its next replica is kept; empty: no service has load
  bool is_room_kept = false;  ///< that replica fits, at the latest when the limits are reached
  std::vector<ServiceRoom> services{};  ///< by name
  /// What would not fit, with the numbers that would: told before it happens.
  std::vector<Unmet> unmet{};
};

/// A service is busier than another if its load takes more replicas by this part.
inline constexpr double kClearlyBusier = 0.1;

/// Others come down only if the next replica fits then, or if there are more replicas already than
/// fit: idle services first, then those with most replicas beyond what they need; no more of them
/// than necessary. No room is kept for a busiest service that has more replicas than it needs: its
/// next one runs already. Equal inputs give equal plans, in any order of services and replicas.
MachinePlan plan_machine(const MachineInput& input);

/// The least number of millicores or bytes that is counted: capacities that a person set to 0 are
/// not.
constexpr std::int64_t counted(std::int64_t amount) {
  return amount == 0 ? kNotCounted : amount;
}

}  // namespace bellows::slack
