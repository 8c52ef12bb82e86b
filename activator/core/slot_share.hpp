// Shares the slots of one revision among several activators without communication: Knative's
// arithmetic (knative.md 4.2, cases 81 to 87).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bellows::activator {

/// Index of this activator among all activators.
struct ActivatorShare {
  std::int32_t activators = 1;
  std::int32_t index = -1;  ///< of this one, from 0; -1: unknown

  bool operator==(const ActivatorShare&) const = default;
};

/// Returns false if every replica belongs to this activator.
inline bool has_slices(ActivatorShare share) {
  return share.activators > 1 && share.index >= 0;
}

/// Returns for each of `pods` replicas, in their order, whether it belongs to this activator's
/// slice. With more activators than pods several activators share one pod; otherwise each gets the
/// same number of consecutive pods, and activator k also gets the k-th of the remaining ones. With
/// index -1 all belong to it.
std::vector<bool> slice_of(std::size_t pods, ActivatorShare share);

/// Returns the requests that this activator may send to a revision whose replicas share one address
/// that balances load itself (a cluster IP): its part of all slots, at least 1; 0 without backends.
/// `container_concurrency` must be at least 1, because without a limit there is nothing to share.
std::int64_t shared_address_slots(std::int32_t container_concurrency, std::size_t backends,
                                  std::int32_t activators);

}  // namespace bellows::activator
