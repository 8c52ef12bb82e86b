#include "activator/core/slot_share.hpp"

#include <algorithm>

namespace bellows::activator {

std::vector<bool> slice_of(std::size_t pods, ActivatorShare share) {
  std::vector<bool> ours(pods, !has_slices(share));
  if (pods == 0 || !has_slices(share)) return ours;
  const auto activators = static_cast<std::size_t>(share.activators);
  const auto index = static_cast<std::size_t>(share.index);
  if (activators > pods) {
    ours[index % pods] = true;
    return ours;
  }
  const std::size_t size = pods / activators;
  for (std::size_t i = index * size; i < (index + 1) * size; ++i) ours[i] = true;
  const std::size_t remaining = activators * size + index;
  if (remaining < pods) ours[remaining] = true;
  return ours;
}

std::int64_t shared_address_slots(std::int32_t container_concurrency, std::size_t backends,
                                  std::int32_t activators) {
  if (backends == 0) return 0;
  const std::int64_t all = container_concurrency * static_cast<std::int64_t>(backends);
  return std::max<std::int64_t>(1, all / std::max(1, activators));
}

}  // namespace bellows::activator
