// The autoscaler's last decision about a revision, for the users of the cluster and for the next
// autoscaler. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/units.hpp"
#include "config/reach.hpp"

namespace bellows::cluster {

/// The serving state of the seed. Each state lists the states that may follow.
enum class ServingState : std::uint8_t {
  kActive,   ///< scaled and served  -> kReserve, kRetired
  kReserve,  ///< at zero, requests wait at the activator  -> kActive, kRetired
  kRetired,  ///< out of service permanently  (end)
};
std::string_view to_string(ServingState state);

/// Bounds of a learned target, in requests in flight.
inline constexpr double kLeastLearnedTarget = 0.01;
inline constexpr double kMostLearnedTarget = 1e6;

struct Report {
  using Serving = ServingState;

  Serving serving = Serving::kActive;
  PodCount desired = 0;         ///< of the last decision
  std::string mode;             ///< "stable" or "panic"
  std::string reason;           ///< of the last decision, one line
  std::string limited_by;       ///< the setting that cut the number, "max-scale"; empty: none did
  bool is_load_known = true;    ///< stats arrive from every ready replica
  std::string failure_message;  ///< one line; empty: no failure
  /// Activators that cannot reach any ready replica at its address, by name.
  std::vector<PodName> kept_away = {};
  /// Settings that are not in effect in all of its replicas, by name.
  std::vector<config::WithoutEffect> without_effect = {};
  /// The target that the slow brain has learned and decisions use; it returns in
  /// Revision::learned_target.
  std::optional<double> learned_target = {};
  std::string saved_state;  ///< opaque JSON: a successor finds it in Revision::saved_state
  bool is_urgent = false;   ///< users see the change: the number, the mode, a failure

  bool operator==(const Report&) const = default;
};

}  // namespace bellows::cluster
