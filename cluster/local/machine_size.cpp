#include "cluster/local/machine_size.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>

namespace bellows::cluster {

namespace {

std::optional<std::int64_t> leading_number(std::string_view text) {
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc()) return std::nullopt;
  return value;
}

/// Returns the text after the first blank or line break; empty if there is none.
std::string_view after_word(std::string_view text) {
  const std::size_t at = text.find_first_of(" \t\n");
  return at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
}

std::string cpu_text(const CgroupFiles& files, CgroupVersion version, const std::string& folder) {
  if (version == CgroupVersion::kV2) return files.read(folder + "/cpu.max").value_or("");
  return files.read(folder + "/cpu.cfs_quota_us").value_or("") + " " +
         files.read(folder + "/cpu.cfs_period_us").value_or("");
}

std::string memory_text(const CgroupFiles& files, CgroupVersion version,
                        const std::string& folder) {
  const bool is_v2 = version == CgroupVersion::kV2;
  return files.read(folder + (is_v2 ? "/memory.max" : "/memory.limit_in_bytes")).value_or("");
}

/// Calls `visit` with the folder and each one above it.
template <class Visit>
void up_from(std::string folder, Visit visit) {
  while (folder.size() > 1) {
    visit(folder);
    const std::size_t slash = folder.rfind('/');
    if (slash == std::string::npos || slash == 0) return;
    folder.resize(slash);
  }
}

/// Returns the processors that this process may run on.
std::int64_t processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace

Result<Bytes> parse_memory_total(std::string_view meminfo) {
  constexpr std::string_view kKey = "MemTotal:";
  const std::size_t at = meminfo.find(kKey);
  if (at != std::string_view::npos) {
    std::string_view rest = meminfo.substr(at + kKey.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (const auto kibibytes_there = leading_number(rest)) return kibibytes(*kibibytes_there);
  }
  return fail(ErrorKind::kMalformed, "/proc/meminfo", "want a line \"MemTotal: NUMBER kB\"");
}

std::optional<Bytes> parse_group_memory(std::string_view text) {
  constexpr std::int64_t kNone = std::int64_t{1} << 60U;
  const auto limit = leading_number(text);
  if (!limit || *limit < 0 || *limit >= kNone) return std::nullopt;
  return Bytes{*limit};
}

std::optional<Millicores> parse_group_cpu(std::string_view quota_and_period) {
  const auto quota = leading_number(quota_and_period);
  std::string_view rest = after_word(quota_and_period);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \n"), rest.size()));
  const auto period = leading_number(rest);
  if (!quota || *quota < 0 || !period || *period <= 0) return std::nullopt;
  return Millicores{std::max<std::int64_t>(1, *quota * 1000 / *period)};
}

MachineSize within_groups(MachineSize whole, const CgroupPlaces& places, const CgroupFiles& files) {
  up_from(places.folder(Controller::kMemory), [&](const std::string& folder) {
    if (const auto limit = parse_group_memory(memory_text(files, places.version, folder)))
      whole.memory = std::min(whole.memory, *limit);
  });
  up_from(places.folder(Controller::kCpu), [&](const std::string& folder) {
    if (const auto limit = parse_group_cpu(cpu_text(files, places.version, folder)))
      whole.cpu = std::min(whole.cpu, *limit);
  });
  return whole;
}

Result<MachineSize> this_machine() {
  const CgroupFiles& files = system_cgroup_files();
  BELLOWS_TRY(const std::string meminfo, files.read("/proc/meminfo"));
  BELLOWS_TRY(const Bytes memory, parse_memory_total(meminfo));
  const MachineSize whole{.cpu = {processors() * 1000}, .memory = memory};
  BELLOWS_TRY(const std::string mountinfo, files.read("/proc/self/mountinfo"));
  BELLOWS_TRY(const std::string self_cgroup, files.read("/proc/self/cgroup"));
  const auto places = find_cgroups(mountinfo, self_cgroup);
  return places ? within_groups(whole, *places, files) : whole;  // no groups, no limits
}

}  // namespace bellows::cluster
