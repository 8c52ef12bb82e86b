#include "autoscaler/core/activators/activator_subset.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>

namespace bellows::autoscaler {
namespace {

constexpr std::uint64_t kCircle = 2048;

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211U;
  }
  return hash;
}

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 16> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number, 16).ptr;
  return {text.data(), end};
}

/// Points of the circle to addresses. Two on one point: the later address is hashed again, with its
/// hash as salt.
std::map<std::uint64_t, std::string> points_of(std::span<const std::string> sorted,
                                               std::string_view revision) {
  std::map<std::uint64_t, std::string> points;
  for (const std::string& address : sorted) {
    std::string text = address + std::string(revision);
    std::uint64_t hash = fnv1a(text);
    while (points.contains(hash % kCircle)) {
      text += hexadecimal(hash);
      hash = fnv1a(text);
    }
    points.emplace(hash % kCircle, address);
  }
  return points;
}

}  // namespace

PodCount desired_activators(const ScalingSpec& spec, PodCount ready) {
  constexpr PodCount kMin = 2;
  if (spec.target_burst_capacity == 0) return kMin;
  const double held = ready * spec.total + std::max(0.0, spec.target_burst_capacity);
  return std::max(kMin, static_cast<PodCount>(std::ceil(held / spec.activator_capacity)));
}

std::vector<std::string> activator_subset(std::span<const std::string> addresses,
                                          std::string_view revision, std::size_t count) {
  std::vector<std::string> sorted(addresses.begin(), addresses.end());
  std::sort(sorted.begin(), sorted.end());
  if (count == 0 || count >= sorted.size()) return sorted;

  auto free = points_of(sorted, revision);
  std::uint64_t angle = fnv1a(std::string(revision) + "start-angle-salt") % kCircle;
  const std::uint64_t step = fnv1a(std::string(revision) + "step-angle-salt") % kCircle;
  std::vector<std::string> chosen;
  while (chosen.size() < count) {
    auto next = free.lower_bound(angle);
    if (next == free.end()) next = free.begin();
    chosen.push_back(next->second);
    free.erase(next);
    angle = (angle + step) % kCircle;
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace bellows::autoscaler
