// The size of a replica.
#pragma once

#include <optional>

#include "base/units.hpp"

namespace bellows {

/// The resource requests of a replica and its memory limit. Unset members get the defaults of the
/// machine.
struct ReplicaSize {
  std::optional<Millicores> cpu = {};      ///< request: its share when CPU is scarce
  std::optional<Bytes> memory = {};        ///< request: protected when memory is scarce
  std::optional<Bytes> memory_limit = {};  ///< the kernel kills it beyond this (OOM)

  bool empty() const { return !cpu && !memory && !memory_limit; }
  bool operator==(const ReplicaSize&) const = default;
};

}  // namespace bellows
