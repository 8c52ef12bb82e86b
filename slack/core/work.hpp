// Counts the work of a loop; tests of large clusters check these numbers.
#pragma once

#include <cstdint>

namespace bellows::slack {

struct Work {
  std::uint64_t nodes_visited = 0;   ///< nodes checked for a shape
  std::uint64_t groups = 0;          ///< passes over the nodes; a pass places all pods of one shape
  std::uint64_t placements = 0;      ///< pods and placeholders put on a node
  std::uint64_t evictions = 0;       ///< placeholders displaced by real pods, or from a lost node
  std::uint64_t shapes_visited = 0;  ///< shapes checked for their biggest pod or mirror
  std::uint64_t candidates = 0;      ///< nodes simulated as removed

  bool operator==(const Work&) const = default;
};

}  // namespace bellows::slack
