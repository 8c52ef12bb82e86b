// The texts of Linux control groups, versions 1 and 2: where they are mounted, what to write for a
// size, how to parse their files. Pure. (Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst of
// the kernel.)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/replica_size.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::cluster {

enum class CgroupVersion : std::uint8_t { kV1, kV2 };
enum class Controller : std::uint8_t { kCpu, kCpuUsage, kMemory };
inline constexpr std::array<Controller, 3> kControllers = {Controller::kCpu, Controller::kCpuUsage,
                                                           Controller::kMemory};
/// Returns "cpu", "cpuacct", "memory".
std::string_view to_string(Controller controller);

/// The folder of this process's group, by controller; all are the same in version 2.
struct CgroupPlaces {
  CgroupVersion version = CgroupVersion::kV1;
  std::array<std::string, 3> folders = {};  ///< by Controller; empty: not mounted

  const std::string& folder(Controller controller) const {
    return folders[static_cast<std::size_t>(controller)];
  }
};

/// Parses /proc/self/mountinfo and /proc/self/cgroup. Version 1 is used if it has the memory
/// controller. kUnsupported: neither version is mounted.
Result<CgroupPlaces> find_cgroups(std::string_view mountinfo, std::string_view self_cgroup);

struct ControlWrite {
  Controller controller;
  std::string file;  ///< within the group's folder
  std::string text;
  bool operator==(const ControlWrite&) const = default;
};

/// Returns the writes that change the size of a group from `from` to `to`, in order: a hard limit
/// is raised before the soft one, and lowered after it.
///   cpu     cpu.shares = 1024 per core     or cpu.weight, on the scale of Kubernetes (runc)
///   memory  memory.soft_limit_in_bytes     or memory.low: protected when memory is short.
///           Not memory.high, which would throttle the app while there is free memory.
///   limit   memory.limit_in_bytes          or memory.max
/// An unset value is reset to the kernel's default.
std::vector<ControlWrite> size_writes(CgroupVersion version, const ReplicaSize& from,
                                      const ReplicaSize& to);

/// Hard limits of an app that hold at any size. nullopt: none.
struct AppLimits {
  std::optional<Millicores> cpu = {};
  std::optional<Bytes> memory = {};
  bool empty() const { return !cpu && !memory; }
  bool operator==(const AppLimits&) const = default;
};

/// Returns the writes that limit the CPU of a new group: a share of each tenth of a second.
///   cpu     cpu.cfs_period_us, cpu.cfs_quota_us    or cpu.max
std::vector<ControlWrite> cpu_limit_writes(CgroupVersion version, Millicores limit);

/// Returns `size` with a hard limit of memory that is at most that of `limits`.
ReplicaSize within(const AppLimits& limits, ReplicaSize size);

/// The usage of a group. nullopt: the file was unreadable or malformed.
struct GroupUsage {
  std::optional<Duration> cpu = {};             ///< since the group was made
  std::optional<Bytes> memory = {};             ///< working set: usage less inactive file pages
  std::optional<std::uint64_t> oom_kills = {};  ///< processes killed for memory so far
  bool operator==(const GroupUsage&) const = default;
};

/// The contents of the usage_files(): CPU, memory in use, memory statistics, OOM kills.
using GroupTexts = std::array<std::string, 4>;
struct ControlFile {
  Controller controller;
  std::string_view name;
};
std::array<ControlFile, 4> usage_files(CgroupVersion version);
GroupUsage parse_group_usage(CgroupVersion version, const GroupTexts& texts);

/// Returns "bellows-1234-567890": the folder of one Bellows process, by pid and start time in ticks
/// since boot.
std::string run_folder(std::int64_t pid, std::uint64_t start_ticks);
struct RunOwner {
  std::int64_t pid = 0;
  std::uint64_t start_ticks = 0;
};
std::optional<RunOwner> parse_run_folder(std::string_view name);
/// Returns field 22 of /proc/PID/stat; nullopt: malformed.
std::optional<std::uint64_t> parse_start_ticks(std::string_view stat);

}  // namespace bellows::cluster
