// The source of the machine's room, if all replicas run on one machine.
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

/// The source is read before each decision. Owner: the program. Thread: the io thread.
class RoomSource {
 public:
  virtual ~RoomSource() = default;
  virtual RoomSeen room_of(const RevisionId& revision, TimePoint now) = 0;
};

}  // namespace bellows::autoscaler
