// Amounts that pods request and nodes offer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace bellows::slack {

/// CPU, memory and pod slots. They are never negative, unless it is a difference. They are plain
/// numbers, because sums over 150,000 pods are computed for all three alike; the units are in the
/// names.
struct Resources {
  std::int64_t cpu_millicores = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t pods = 0;

  constexpr bool operator==(const Resources&) const = default;

  constexpr Resources& operator+=(const Resources& other) {
    cpu_millicores += other.cpu_millicores;
    memory_bytes += other.memory_bytes;
    pods += other.pods;
    return *this;
  }
  constexpr Resources& operator-=(const Resources& other) {
    cpu_millicores -= other.cpu_millicores;
    memory_bytes -= other.memory_bytes;
    pods -= other.pods;
    return *this;
  }
};

constexpr Resources operator+(Resources a, const Resources& b) {
  return a += b;
}
constexpr Resources operator-(Resources a, const Resources& b) {
  return a -= b;
}
constexpr Resources operator*(Resources a, std::int64_t count) {
  return {a.cpu_millicores * count, a.memory_bytes * count, a.pods * count};
}

/// Returns true if `request` is within `room` in every dimension.
constexpr bool fits(const Resources& request, const Resources& room) {
  return request.cpu_millicores <= room.cpu_millicores &&
         request.memory_bytes <= room.memory_bytes && request.pods <= room.pods;
}

/// Returns the larger amount in each dimension.
constexpr Resources max_of(const Resources& a, const Resources& b) {
  return {std::max(a.cpu_millicores, b.cpu_millicores), std::max(a.memory_bytes, b.memory_bytes),
          std::max(a.pods, b.pods)};
}

/// Returns the smaller amount in each dimension.
constexpr Resources min_of(const Resources& a, const Resources& b) {
  return {std::min(a.cpu_millicores, b.cpu_millicores), std::min(a.memory_bytes, b.memory_bytes),
          std::min(a.pods, b.pods)};
}

/// Returns `a`, but at least zero in each dimension.
constexpr Resources at_least_zero(const Resources& a) {
  return max_of(a, {});
}

/// Returns how many requests fit into `room` side by side; the largest number if nothing is
/// requested.
constexpr std::int64_t how_many(const Resources& request, const Resources& room) {
  std::int64_t count = std::numeric_limits<std::int64_t>::max();
  const auto limit = [&count](std::int64_t want, std::int64_t have) {
    if (want > 0) count = std::min(count, have < 0 ? 0 : have / want);
  };
  limit(request.cpu_millicores, room.cpu_millicores);
  limit(request.memory_bytes, room.memory_bytes);
  limit(request.pods, room.pods);
  return count;
}

}  // namespace bellows::slack
