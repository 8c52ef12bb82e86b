// How large one replica is.
#pragma once

#include <optional>

#include "base/units.hpp"

namespace bellows {

/// What a replica asks for, and the memory that it may not exceed. What is unset is not governed:
/// the machine's defaults hold.
struct ReplicaSize {
  std::optional<Millicores> cpu = {};      ///< request: its share when CPU is short
  std::optional<Bytes> memory = {};        ///< request: what it keeps when memory is short
  std::optional<Bytes> memory_limit = {};  ///< beyond it the kernel kills (OOM)

  bool empty() const { return !cpu && !memory && !memory_limit; }
  bool operator==(const ReplicaSize&) const = default;
};

}  // namespace bellows
