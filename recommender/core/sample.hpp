// The input of a policy: names, usage, requests, events. Data only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::recommender {

/// A container of a workload, for which a size is recommended: "app". Each replica of the workload
/// has one container of that name; a replica is a bellows::PodName.
using ContainerName = StrongName<struct ContainerNameTag>;

enum class Resource : std::uint8_t { kCpu, kMemory };

/// Returns the index of a resource in an array with one element for each.
constexpr std::size_t index_of(Resource resource) {
  return static_cast<std::size_t>(resource);
}

/// The names of the resources in saved states and explanations, by index_of().
inline constexpr std::array<std::string_view, 2> kResourceNames{"cpu", "memory"};

/// Times are WallTime: decay is counted in calendar days and history outlives a boot. Replays count
/// seconds from here.
inline constexpr WallTime kReplayEpoch{std::chrono::sys_days(std::chrono::January / 1 / 2026)};

/// Returns the time `seconds` after the replay epoch, exact to the nanosecond for up to 3 decimals.
constexpr WallTime replay_time(double seconds) {
  const double milliseconds = seconds * 1000;
  const auto whole = static_cast<std::int64_t>(milliseconds + (milliseconds < 0 ? -0.5 : 0.5));
  return kReplayEpoch + std::chrono::milliseconds(whole);
}

/// Handle of one container of one replica, from Policy::add_instance(). It is valid until
/// remove_instance().
struct InstanceId {
  std::uint32_t index = 0;
  bool operator==(const InstanceId&) const = default;
};

/// A measured usage: CPU in cores (the mean since the previous sample), memory in bytes (working
/// set at `at`). A missing sample is unknown, never zero.
struct Usage {
  WallTime at;
  Resource resource = Resource::kCpu;
  double amount = 0;
};

/// The current request of the container. 0: none.
struct Request {
  Millicores cpu;
  Bytes memory;
  bool operator==(const Request&) const = default;
};

/// An OOM kill. `memory` is the request at that time (for an eviction: the usage). It is the reason
/// of the death; Crashed, which counts towards a crash rule, reports the death.
struct OomKilled {
  Bytes memory;
};
/// The process ended by itself.
struct Crashed {};
/// CrashLoopBackOff began or ended.
struct CrashLoop {
  bool active = false;
};
/// The container restarted. A replica counts as started with its first add_instance().
struct Started {};

struct Event {
  WallTime at;
  std::variant<OomKilled, Crashed, CrashLoop, Started> what;
};

}  // namespace bellows::recommender
