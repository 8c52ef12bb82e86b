// Control groups of Linux, versions 1 and 2, as texts: where they are, what a size writes, what
// their files say. Pure. (Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst of the kernel.)
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
/// "cpu", "cpuacct", "memory".
std::string_view to_string(Controller controller);

/// The folder of our own group, by controller; under version 2 it is one and the same.
struct CgroupPlaces {
  CgroupVersion version = CgroupVersion::kV1;
  std::array<std::string, 3> folders = {};  ///< by Controller; empty: it is not there

  const std::string& folder(Controller controller) const {
    return folders[static_cast<std::size_t>(controller)];
  }
};

/// From the texts of /proc/self/mountinfo and /proc/self/cgroup. Version 1 wins where it has the
/// memory controller. kUnsupported: neither version is mounted.
Result<CgroupPlaces> find_cgroups(std::string_view mountinfo, std::string_view self_cgroup);

struct ControlWrite {
  Controller controller;
  std::string file;  ///< within the group's folder
  std::string text;
  bool operator==(const ControlWrite&) const = default;
};

/// What makes a group of size `from` one of size `to`, in the order in which it has to be done: a
/// hard limit goes up before the soft one, and down after it.
///   cpu     cpu.shares = 1024 per core     or cpu.weight, on the scale of Kubernetes (runc)
///   memory  memory.soft_limit_in_bytes     or memory.low: what it keeps when memory is short.
///           Not memory.high, which would throttle it while there is memory for everybody.
///   limit   memory.limit_in_bytes          or memory.max
/// What is unset goes back to the kernel's default.
std::vector<ControlWrite> size_writes(CgroupVersion version, const ReplicaSize& from,
                                      const ReplicaSize& to);

/// What the files of a group say. Unset: that file was not readable or made no sense.
struct GroupUsage {
  std::optional<Duration> cpu = {};             ///< since the group was made
  std::optional<Bytes> memory = {};             ///< working set: usage less inactive file pages
  std::optional<std::uint64_t> oom_kills = {};  ///< processes killed for memory so far
  bool operator==(const GroupUsage&) const = default;
};

/// The files of which parse_group_usage() makes something, in its order: CPU, memory in use, memory
/// in detail, OOM kills.
using GroupTexts = std::array<std::string, 4>;
struct ControlFile {
  Controller controller;
  std::string_view name;
};
std::array<ControlFile, 4> usage_files(CgroupVersion version);
GroupUsage parse_group_usage(CgroupVersion version, const GroupTexts& texts);

/// "bellows-1234-567890": the folder of one run, by process and its start in ticks since boot.
std::string run_folder(std::int64_t pid, std::uint64_t start_ticks);
struct RunOwner {
  std::int64_t pid = 0;
  std::uint64_t start_ticks = 0;
};
std::optional<RunOwner> parse_run_folder(std::string_view name);
/// Field 22 of /proc/PID/stat; nullopt: not such a text.
std::optional<std::uint64_t> parse_start_ticks(std::string_view stat);

}  // namespace bellows::cluster
