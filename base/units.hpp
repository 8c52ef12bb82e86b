// Amounts with the unit in the type. A bare number that crosses a wire has the unit in its
// name instead.
#pragma once

#include <compare>
#include <cstdint>

namespace bellows {

/// Memory or message size.
struct Bytes {
  std::int64_t value = 0;
  constexpr auto operator<=>(const Bytes&) const = default;
};

/// CPU time per time: 1000 is one core.
struct Millicores {
  std::int64_t value = 0;
  constexpr auto operator<=>(const Millicores&) const = default;
};
inline constexpr double kMillicoresPerCore = 1000;

constexpr Bytes operator+(Bytes a, Bytes b) {
  return {a.value + b.value};
}
constexpr Bytes operator-(Bytes a, Bytes b) {
  return {a.value - b.value};
}
constexpr Millicores operator+(Millicores a, Millicores b) {
  return {a.value + b.value};
}

constexpr Bytes kibibytes(std::int64_t n) {
  return {n * 1024};
}
constexpr Bytes mebibytes(std::int64_t n) {
  return {n * 1024 * 1024};
}

/// A number of replicas. Never negative, unless it is a difference.
using PodCount = std::int32_t;
/// The greatest number of replicas that is set, decided or read; sums of a few still fit a
/// PodCount.
inline constexpr PodCount kMaxReplicas = 100'000'000;

/// Requests in flight, averaged over some time: never negative, may be fractional.
using Concurrency = double;

}  // namespace bellows
