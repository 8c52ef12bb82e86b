// The room of the machine for replicas: its own CPU and memory, or what the control group of this
// process and the groups around it leave of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/units.hpp"
#include "cluster/local/cgroup_files.hpp"
#include "cluster/local/cgroup_rules.hpp"

namespace bellows::cluster {

struct MachineSize {
  Millicores cpu;
  Bytes memory;
  bool operator==(const MachineSize&) const = default;
};

/// Reads "MemTotal" of /proc/meminfo. kMalformed: it is missing.
Result<Bytes> parse_memory_total(std::string_view meminfo);

/// Reads the limit of one group from its file. nullopt: none, or malformed. Version 1 has a number
/// near 2^63 for none.
std::optional<Bytes> parse_group_memory(std::string_view text);
/// Reads the CPU limit. Version 2: "200000 100000" is 2000m, "max 100000" none. Version 1: quota
/// and period, -1 for none.
std::optional<Millicores> parse_group_cpu(std::string_view quota_and_period);

/// Returns `whole` less what the groups at `places` and above them, up to the root, take away.
MachineSize within_groups(MachineSize whole, const CgroupPlaces& places, const CgroupFiles& files);

/// Returns the size of this machine and process. An error names the file.
Result<MachineSize> this_machine();

}  // namespace bellows::cluster
