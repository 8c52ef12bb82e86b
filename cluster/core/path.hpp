// The path of requests: from callers to replicas straight, or through activators. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"

namespace bellows::cluster {

/// In an activator's reply to a probe (K-Network-Probe) at Path::activator_port: the id of the
/// revision that the port belongs to.
inline constexpr std::string_view kRevisionHeader = "X-Bellows-Revision";

/// An activator that a cluster lists.
struct Activator {
  PodName name;         ///< the one in its stats
  std::string address;  ///< an IP address, without port; empty: it has none yet
  std::string node;     ///< empty: unknown
  std::string zone;     ///< empty: unknown
  bool is_ready = false;
  bool operator==(const Activator&) const = default;
};

/// Who takes the requests of a revision first. Each state lists the states that may follow.
enum class PathState : std::uint8_t {
  kDirect,   ///< the replicas  -> kJoining
  kJoining,  ///< activators are being added; some callers may not reach them yet  -> kHeld,
             ///< kLeaving
  kHeld,     ///< every caller reaches activators, beside the replicas or alone, so there may be no
             ///< replica  -> kJoining, kLeaving
  kLeaving,  ///< activators are being removed; some callers may reach them  -> kDirect, kJoining
};
std::string_view to_string(PathState state);

/// The path of a revision as it is. The default is that of a cluster whose callers can reach
/// nothing but the activator.
struct Path {
  PathState state = PathState::kHeld;
  /// Where activators take the requests of this revision alone; 0: they have one port for all.
  std::uint16_t activator_port = 0;
  /// Those that callers reach, by name; empty: not known one by one.
  std::vector<PodName> activators;
  std::string problem;  ///< why the path cannot be as asked, one line; empty: nothing hinders
  bool operator==(const Path&) const = default;
};

/// The path that is asked for.
struct PathOrder {
  bool is_through_activators = true;
  /// Which ones, by name. Of a straight path: those that take over if no replica is ready. Empty:
  /// all that are ready.
  std::vector<PodName> activators;
  std::string reason;  ///< for the cluster's log, one line
  bool operator==(const PathOrder&) const = default;
};

}  // namespace bellows::cluster
