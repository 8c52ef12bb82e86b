#include "cluster/core/path.hpp"

namespace bellows::cluster {

std::string_view to_string(PathState state) {
  switch (state) {
    case PathState::kDirect:
      return "direct";
    case PathState::kJoining:
      return "joining";
    case PathState::kHeld:
      return "held";
    case PathState::kLeaving:
      return "leaving";
  }
  return "unknown";
}

}  // namespace bellows::cluster
