#include "cluster/local/cgroup_rules.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/text_parts.hpp"

namespace bellows::cluster {

namespace {

bool has(const std::vector<std::string_view>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

/// Parses a number of at least 0: the kernel writes no others.
std::optional<std::int64_t> count_in(std::string_view text) {
  const auto number = number_in<std::int64_t>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

/// Returns the number after `key` in lines of "key number".
std::optional<std::int64_t> keyed(std::string_view text, std::string_view key) {
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ' ') {
      return count_in(line.substr(key.size() + 1));
    }
  }
  return std::nullopt;
}

struct Mount {
  std::string_view root;   // the part of the hierarchy that is mounted
  std::string_view place;  // the mount point
  std::vector<std::string_view> controllers;
};

/// Returns the mounts of one type of file system ("cgroup", "cgroup2"), as proc(5) describes
/// mountinfo.
std::vector<Mount> mounts_of(std::string_view mountinfo, std::string_view type) {
  std::vector<Mount> mounts;
  for (const std::string_view line : split(mountinfo, '\n')) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    const auto before = split(line.substr(0, dash), ' ');
    const auto after = split(line.substr(dash + 3), ' ');
    constexpr std::size_t kRoot = 3;
    constexpr std::size_t kPlace = 4;
    if (before.size() <= kPlace || after.size() < 3 || after[0] != type) continue;
    mounts.push_back({before[kRoot], before[kPlace], split(after[2], ',')});
  }
  return mounts;
}

/// Returns the path of this process in the hierarchy with `controller` (empty: version 2), from
/// lines "7:cpu,cpuacct:/a".
std::optional<std::string_view> own_path(std::string_view self_cgroup,
                                         std::string_view controller) {
  for (const std::string_view line : split(self_cgroup, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view names = line.substr(first + 1, second - first - 1);
    const bool is_it = controller.empty() ? names.empty() : has(split(names, ','), controller);
    if (is_it) return line.substr(second + 1);
  }
  return std::nullopt;
}

/// Returns the folder of the group: `path` relative to the mounted root.
std::string folder_of(const Mount& mount, std::string_view path) {
  if (mount.root != "/" && path.starts_with(mount.root)) path.remove_prefix(mount.root.size());
  std::string folder(mount.place);
  if (!path.empty() && path != "/") folder += path;
  return folder;
}

std::string v1_folder(std::string_view mountinfo, std::string_view self_cgroup,
                      Controller controller) {
  const auto path = own_path(self_cgroup, to_string(controller));
  for (const Mount& mount : mounts_of(mountinfo, "cgroup")) {
    if (path && has(mount.controllers, to_string(controller))) return folder_of(mount, *path);
  }
  return {};
}

/// Converts cpu.shares (2 to 262144) to cpu.weight (1 to 10000), as runc does.
std::int64_t weight_of(std::int64_t shares) {
  return 1 + (shares - 2) * 9999 / 262142;
}

std::int64_t shares_of(Millicores cpu) {
  constexpr std::int64_t kPerCore = 1024;
  return std::clamp<std::int64_t>(cpu.value * kPerCore / 1000, 2, 262144);
}

void add_cpu(CgroupVersion version, const ReplicaSize& to, std::vector<ControlWrite>& writes) {
  const std::int64_t shares = to.cpu ? shares_of(*to.cpu) : 1024;
  if (version == CgroupVersion::kV1) {
    writes.push_back({Controller::kCpu, "cpu.shares", std::to_string(shares)});
  } else {
    constexpr std::int64_t kDefault = 100;
    writes.push_back(
        {Controller::kCpu, "cpu.weight", std::to_string(to.cpu ? weight_of(shares) : kDefault)});
  }
}

ControlWrite soft_limit(CgroupVersion version, const std::optional<Bytes>& memory) {
  if (version == CgroupVersion::kV1) {
    return {Controller::kMemory, "memory.soft_limit_in_bytes",
            memory ? std::to_string(memory->value) : "-1"};
  }
  return {Controller::kMemory, "memory.low", memory ? std::to_string(memory->value) : "0"};
}

ControlWrite hard_limit(CgroupVersion version, const std::optional<Bytes>& limit) {
  if (version == CgroupVersion::kV1) {
    return {Controller::kMemory, "memory.limit_in_bytes",
            limit ? std::to_string(limit->value) : "-1"};
  }
  return {Controller::kMemory, "memory.max", limit ? std::to_string(limit->value) : "max"};
}

}  // namespace

std::string_view to_string(Controller controller) {
  switch (controller) {
    case Controller::kCpu:
      return "cpu";
    case Controller::kCpuUsage:
      return "cpuacct";
    case Controller::kMemory:
      return "memory";
  }
  return "";
}

Result<CgroupPlaces> find_cgroups(std::string_view mountinfo, std::string_view self_cgroup) {
  CgroupPlaces places;
  for (const Controller controller : kControllers) {
    places.folders[static_cast<std::size_t>(controller)] =
        v1_folder(mountinfo, self_cgroup, controller);
  }
  if (!places.folder(Controller::kMemory).empty()) return places;
  const auto path = own_path(self_cgroup, "");
  const auto unified = mounts_of(mountinfo, "cgroup2");
  if (!path || unified.empty()) {
    return fail(ErrorKind::kUnsupported, "cgroups",
                "want version 1 with the memory controller, or version 2, mounted");
  }
  places.version = CgroupVersion::kV2;
  places.folders.fill(folder_of(unified.front(), *path));
  return places;
}

std::vector<ControlWrite> size_writes(CgroupVersion version, const ReplicaSize& from,
                                      const ReplicaSize& to) {
  std::vector<ControlWrite> writes;
  if (from.cpu != to.cpu) add_cpu(version, to, writes);
  const bool is_limit_lower =
      to.memory_limit && (!from.memory_limit || *to.memory_limit < *from.memory_limit);
  const auto limit = hard_limit(version, to.memory_limit);
  if (from.memory_limit != to.memory_limit && !is_limit_lower) writes.push_back(limit);
  if (from.memory != to.memory) writes.push_back(soft_limit(version, to.memory));
  if (is_limit_lower) writes.push_back(limit);
  return writes;
}

std::vector<ControlWrite> cpu_limit_writes(CgroupVersion version, Millicores limit) {
  constexpr std::int64_t kPeriod = 100'000;  // us
  const std::string period = std::to_string(kPeriod);
  const std::string quota = std::to_string(limit.value * kPeriod / 1000);
  if (version == CgroupVersion::kV2) return {{Controller::kCpu, "cpu.max", quota + " " + period}};
  return {{Controller::kCpu, "cpu.cfs_period_us", period},
          {Controller::kCpu, "cpu.cfs_quota_us", quota}};
}

ReplicaSize within(const AppLimits& limits, ReplicaSize size) {
  if (!limits.memory) return size;
  size.memory_limit = std::min(size.memory_limit.value_or(*limits.memory), *limits.memory);
  if (size.memory) size.memory = std::min(*size.memory, *limits.memory);
  return size;
}

std::array<ControlFile, 4> usage_files(CgroupVersion version) {
  if (version == CgroupVersion::kV1) {
    return {{{Controller::kCpuUsage, "cpuacct.usage"},
             {Controller::kMemory, "memory.usage_in_bytes"},
             {Controller::kMemory, "memory.stat"},
             {Controller::kMemory, "memory.oom_control"}}};
  }
  return {{{Controller::kCpuUsage, "cpu.stat"},
           {Controller::kMemory, "memory.current"},
           {Controller::kMemory, "memory.stat"},
           {Controller::kMemory, "memory.events"}}};
}

GroupUsage parse_group_usage(CgroupVersion version, const GroupTexts& texts) {
  const bool is_v1 = version == CgroupVersion::kV1;
  GroupUsage usage;
  if (is_v1) {
    if (const auto used = count_in(texts[0])) usage.cpu = Duration(*used);
  } else if (const auto used = keyed(texts[0], "usage_usec")) {
    usage.cpu = std::chrono::microseconds(*used);
  }
  const auto total = count_in(texts[1]);
  const auto inactive = keyed(texts[2], is_v1 ? "total_inactive_file" : "inactive_file");
  if (total) {
    usage.memory = Bytes{std::max<std::int64_t>(0, *total - inactive.value_or(0))};
  }
  if (const auto kills = keyed(texts[3], "oom_kill")) {
    usage.oom_kills = static_cast<std::uint64_t>(*kills);
  }
  return usage;
}

std::string run_folder(std::int64_t pid, std::uint64_t start_ticks) {
  return "bellows-" + std::to_string(pid) + "-" + std::to_string(start_ticks);
}

std::optional<RunOwner> parse_run_folder(std::string_view name) {
  const auto parts = split(name, '-');
  if (parts.size() != 3 || parts[0] != "bellows") return std::nullopt;
  const auto pid = number_in<std::int64_t>(parts[1]);
  const auto ticks = number_in<std::uint64_t>(parts[2]);
  if (!pid || !ticks || run_folder(*pid, *ticks) != name) return std::nullopt;
  return RunOwner{*pid, *ticks};
}

std::optional<std::uint64_t> parse_start_ticks(std::string_view stat) {
  // The name in parentheses may contain anything.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 > stat.size()) return std::nullopt;
  const auto fields = split(stat.substr(name_end + 2), ' ');
  constexpr std::size_t kFirst = 3;
  constexpr std::size_t kStartTime = 22 - kFirst;
  if (fields.size() <= kStartTime) return std::nullopt;
  return number_in<std::uint64_t>(fields[kStartTime]);
}

}  // namespace bellows::cluster
