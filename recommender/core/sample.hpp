// What a policy is told about containers: names, usage, requests, events. Data only.
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

/// A container of a workload, the thing that gets a size: "app". All replicas of the workload have
/// one container of that name each; a replica is a bellows::PodName.
using ContainerName = StrongName<struct ContainerNameTag>;

enum class Resource : std::uint8_t { kCpu, kMemory };

/// Where a Resource stands in an array that has one element for each.
constexpr std::size_t index_of(Resource resource) {
  return static_cast<std::size_t>(resource);
}

/// What saved states and explanations call them, by index_of().
inline constexpr std::array<std::string_view, 2> kResourceNames{"cpu", "memory"};

/// Instants are WallTime, by design: decay is counted in days of the calendar and history outlives
/// a boot. Replays count seconds from here.
inline constexpr WallTime kReplayEpoch{std::chrono::sys_days(std::chrono::January / 1 / 2026)};

/// `seconds` after the replay epoch, exact to the nanosecond for up to 3 decimals.
constexpr WallTime replay_time(double seconds) {
  const double milliseconds = seconds * 1000;
  const auto whole = static_cast<std::int64_t>(milliseconds + (milliseconds < 0 ? -0.5 : 0.5));
  return kReplayEpoch + std::chrono::milliseconds(whole);
}

/// Handle of one container of one replica, given out by Policy::enter. Valid until leave().
struct InstanceId {
  std::uint32_t index = 0;
  bool operator==(const InstanceId&) const = default;
};

/// A measured usage: CPU in cores (a mean over the time since the sample before), memory in bytes
/// (working set at `at`). A missing sample is unknown, never a zero.
struct Usage {
  WallTime at;
  Resource resource = Resource::kCpu;
  double amount = 0;
};

/// What the container is given at present. 0: nothing was asked for.
struct Request {
  Millicores cpu;
  Bytes memory;
  bool operator==(const Request&) const = default;
};

/// Killed for memory. `memory` is the request at that time (for an eviction: the usage). It says
/// why the container died; that it died, and so counts towards a crash rule, Crashed says.
struct OomKilled {
  Bytes memory;
};
/// Ended without being asked to.
struct Crashed {};
/// Whoever restarts it has begun (or ceased) to wait longer and longer: CrashLoopBackOff.
struct CrashLoop {
  bool active = false;
};
/// A new life of the container began. A replica is taken to start with its first enter().
struct Started {};

struct Event {
  WallTime at;
  std::variant<OomKilled, Crashed, CrashLoop, Started> what;
};

}  // namespace bellows::recommender
