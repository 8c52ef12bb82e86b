#include "base/sys/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/read_number.hpp"

namespace bellows::sys {
namespace {

constexpr std::string_view kGroups = "/sys/fs/cgroup";

std::size_t allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::size_t>(std::max(1, CPU_COUNT(&set)));
}

/// Returns the first two words of a small file; missing words are empty.
std::pair<std::string, std::string> two_words(const std::string& path) {
  std::ifstream file(path);
  std::pair<std::string, std::string> words;
  file >> words.first >> words.second;
  return words;
}

/// Returns nullopt without a quota ("max" or -1).
std::optional<std::size_t> cores_of(const std::string& quota, const std::string& period) {
  const auto microseconds = read_number<std::int64_t>(quota);
  const auto of = read_number<std::int64_t>(period);
  if (!microseconds || *microseconds <= 0 || !of || *of <= 0) return std::nullopt;
  return static_cast<std::size_t>((*microseconds + *of - 1) / *of);
}

std::optional<std::size_t> quota_of(const std::string& folder, bool is_version_2) {
  if (is_version_2) {
    const auto [quota, period] = two_words(folder + "/cpu.max");
    return cores_of(quota, period);
  }
  return cores_of(two_words(folder + "/cpu.cfs_quota_us").first,
                  two_words(folder + "/cpu.cfs_period_us").first);
}

/// Returns the folder below kGroups from a line of /proc/self/cgroup, "0::/a/b" or
/// "4:cpu,cpuacct:/a/b". It is empty if the line is of a controller other than CPU.
std::string group_of(const std::string& line) {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return {};
  const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
  const std::string path = line.substr(second + 1);
  if (controllers == ",,") return path;
  return controllers.find(",cpu,") == std::string::npos ? std::string() : "/cpu" + path;
}

}  // namespace

std::size_t usable_cores(const std::string& root) {
  std::size_t cores = allowed_processors();
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    std::string group = group_of(line);
    const bool is_version_2 = line.starts_with("0::");
    // The quotas of all ancestors apply as well, up to the root of the namespace.
    while (!group.empty()) {
      const auto quota = quota_of(root + std::string(kGroups) + group, is_version_2);
      if (quota) cores = std::min(cores, *quota);
      group.resize(group.size() > 1 ? std::max<std::size_t>(group.rfind('/'), 1) : 0);
    }
  }
  return std::max<std::size_t>(cores, 1);
}

}  // namespace bellows::sys
