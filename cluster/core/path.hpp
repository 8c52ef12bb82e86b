// The path of requests: from callers straight to replicas, or through activators. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"

namespace bellows::cluster {

/// Header of an activator's response to a probe (K-Network-Probe) at Path::activator_port: the id
/// of the revision that has the port.
inline constexpr std::string_view kRevisionHeader = "X-Bellows-Revision";

/// An activator as a cluster lists it.
struct Activator {
  PodName name;         ///< the one in its stats
  std::string address;  ///< an IP address, without port; empty: not assigned yet
  std::string node;     ///< empty: unknown
  std::string zone;     ///< empty: unknown
  bool is_ready = false;
  bool operator==(const Activator&) const = default;
};

/// The first receiver of a revision's requests. Each state lists the states that may follow.
enum class PathState : std::uint8_t {
  kDirect,   ///< the replicas  -> kJoining
  kJoining,  ///< activators are being added; some callers may not reach them yet  -> kHeld,
             ///< kLeaving
  kHeld,     ///< every caller reaches activators, beside the replicas or alone, so there may be no
             ///< replica  -> kJoining, kLeaving
  kLeaving,  ///< activators are being removed; some callers may reach them  -> kDirect, kJoining
};
std::string_view to_string(PathState state);

/// The current path of a revision. The default is that of a cluster whose callers can reach only
/// the activator.
struct Path {
  PathState state = PathState::kHeld;
  /// The port at which activators take only the requests of this revision; 0: one port serves all.
  std::uint16_t activator_port = 0;
  /// Activators that callers reach, by name; empty: unknown.
  std::vector<PodName> activators;
  std::string problem;  ///< what prevents the ordered path, one line; empty: nothing
  bool operator==(const Path&) const = default;
};

/// An ordered path.
struct PathOrder {
  bool is_through_activators = true;
  /// Their names. Of a straight path: those that take over if no replica is ready. Empty: all that
  /// are ready.
  std::vector<PodName> activators;
  std::string reason;  ///< for the cluster's log, one line
  bool operator==(const PathOrder&) const = default;
};

}  // namespace bellows::cluster
