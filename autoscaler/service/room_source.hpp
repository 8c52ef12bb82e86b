// Where the room of the machine comes from, if all replicas run on one.
#pragma once

#include <optional>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler {

/// Observation::room_limit and room_more.
struct RoomSeen {
  std::optional<PodCount> limit;
  std::optional<PodCount> more;
};

/// Asked before each decision. Owner: the program. Thread: the io thread.
class RoomSource {
 public:
  virtual ~RoomSource() = default;
  virtual RoomSeen room_of(const RevisionId& revision, TimePoint now) = 0;
};

}  // namespace bellows::autoscaler
