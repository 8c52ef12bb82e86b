// How several activators share the slots of one revision without talking to each other: Knative's
// arithmetic (knative.md 4.2, cases 81 to 87).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bellows::activator {

/// Which of the activators this one is.
struct ActivatorShare {
  std::int32_t activators = 1;
  std::int32_t index = -1;  ///< of this one, from 0 on; -1: not among them

  bool operator==(const ActivatorShare&) const = default;
};

/// Position of `own` in a sorted list of addresses; -1 if it is not there.
std::int32_t own_index(const std::vector<std::string_view>& sorted, std::string_view own);

/// For each of `pods` replicas, in their order: whether it is this activator's. With more
/// activators than pods several of them share one; else each has as many consecutive ones, and the
/// k-th of those left over goes to activator k. Index -1: all.
std::vector<bool> slice_of(std::size_t pods, ActivatorShare share);

/// Requests that this activator may send to a revision whose replicas are reached through one
/// address that spreads by itself (a cluster IP): its part of all slots, at least 1; 0 without
/// backends. `container_concurrency` is at least 1: without a limit there is nothing to share.
std::int64_t shared_address_slots(std::int32_t container_concurrency, std::size_t backends,
                                  std::int32_t activators);

}  // namespace bellows::activator
