// Parses the kernel's files about the app: /proc of its processes, and its control group (proc(5);
// Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::queue_proxy {

/// Folders of one process's group, from /proc/PID/cgroup and /proc/PID/mountinfo.
struct GroupFolders {
  bool is_v2 = false;
  std::string cpu;       ///< empty: not mounted, or the group of the whole machine
  std::string cpu_time;  ///< cpuacct; the same folder with version 2
  std::string memory;
  bool operator==(const GroupFolders&) const = default;
};
GroupFolders group_folders(std::string_view cgroup, std::string_view mountinfo);

/// Returns the number after `key` at the start of a line (cpu.stat, memory.stat); nullopt if there
/// is none.
std::optional<std::int64_t> value_of(std::string_view text, std::string_view key);
/// Returns the first number of a file that holds one. "max" and negative numbers mean no limit:
/// nullopt.
std::optional<std::int64_t> single_number(std::string_view text);
/// Returns the quota of cpu.max: "50000 100000" is half a core, "max 100000" is nullopt.
std::optional<Millicores> cpu_quota(std::string_view cpu_max);
/// Returns the share of time in which some process waited: avg10 of the line "some" of a pressure
/// file.
std::optional<double> some_pressure(std::string_view text);

/// CPU time and resident memory of one process, from /proc/PID/stat.
struct ProcessUse {
  Duration cpu{};
  Bytes memory;
};
std::optional<ProcessUse> process_use(std::string_view stat, std::int64_t ticks_per_second,
                                      std::int64_t page_bytes);

}  // namespace bellows::queue_proxy
