#include "queue-proxy/core/app_files.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>

#include "base/read_number.hpp"
#include "base/text_parts.hpp"

namespace bellows::queue_proxy {
namespace {

/// Splits a line into words, at most 24 of them, which is more than any of these files has before
/// the needed field.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (words.size() < 24) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) break;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

template <class F>
void for_each_line(std::string_view text, F take) {
  while (!text.empty()) take(next_part(text, '\n'));
}

bool has_item(std::string_view list, std::string_view item) {
  return std::ranges::any_of(split(list, ','),
                             [item](std::string_view each) { return each == item; });
}

/// One line of mountinfo: a control group file system.
struct Mount {
  std::string_view root;  // the part of the hierarchy that is mounted
  std::string_view place;
};

/// Returns the mount of version 2 (empty `controller`) or of a controller of version 1.
std::optional<Mount> mount_of(std::string_view mountinfo, std::string_view controller) {
  std::optional<Mount> found;
  for_each_line(mountinfo, [&](std::string_view line) {
    const std::size_t dash = line.find(" - ");
    if (found || dash == std::string_view::npos) return;
    const auto before = words_of(line.substr(0, dash));
    const auto after = words_of(line.substr(dash + 3));
    if (before.size() < 5 || after.size() < 3) return;
    const bool is_it = controller.empty() ? after[0] == "cgroup2"
                                          : after[0] == "cgroup" && has_item(after[2], controller);
    if (is_it) found = Mount{before[3], before[4]};
  });
  return found;
}

/// Returns the group's path in the hierarchy that has `controller`; an empty one selects version 2.
std::optional<std::string_view> path_of(std::string_view cgroup, std::string_view controller) {
  std::optional<std::string_view> found;
  for_each_line(cgroup, [&](std::string_view line) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) return;
    const std::string_view list = line.substr(first + 1, second - first - 1);
    const bool is_it = controller.empty() ? line.starts_with("0::") : has_item(list, controller);
    if (is_it) found = line.substr(second + 1);
  });
  return found;
}

/// Returns the group's folder; empty for the group of the whole machine, whose use tells nothing
/// about one app.
std::string folder_of(std::string_view cgroup, std::string_view mountinfo,
                      std::string_view controller) {
  const auto mount = mount_of(mountinfo, controller);
  auto path = path_of(cgroup, controller);
  if (!mount || !path || *path == "/") return "";
  if (mount->root != "/") {
    if (!path->starts_with(mount->root)) return "";
    path->remove_prefix(mount->root.size());
  }
  return std::string(mount->place) + std::string(*path);
}

}  // namespace

GroupFolders group_folders(std::string_view cgroup, std::string_view mountinfo) {
  GroupFolders folders;
  folders.cpu = folder_of(cgroup, mountinfo, "cpu");
  folders.cpu_time = folder_of(cgroup, mountinfo, "cpuacct");
  folders.memory = folder_of(cgroup, mountinfo, "memory");
  if (mount_of(mountinfo, "memory")) return folders;
  const std::string group = folder_of(cgroup, mountinfo, "");
  return {.is_v2 = true, .cpu = group, .cpu_time = group, .memory = group};
}

std::optional<std::int64_t> value_of(std::string_view text, std::string_view key) {
  std::optional<std::int64_t> value;
  for_each_line(text, [&](std::string_view line) {
    const auto words = words_of(line);
    if (words.size() >= 2 && words[0] == key) value = read_number<std::int64_t>(words[1]);
  });
  return value;
}

std::optional<std::int64_t> single_number(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const auto value = read_number<std::int64_t>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

std::optional<Millicores> cpu_quota(std::string_view cpu_max) {
  while (!cpu_max.empty() && cpu_max.back() == '\n') cpu_max.remove_suffix(1);
  const auto words = words_of(cpu_max);
  if (words.size() != 2) return std::nullopt;
  const auto quota = read_number<std::int64_t>(words[0]);
  const auto period = read_number<std::int64_t>(words[1]);
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  if (*quota > std::numeric_limits<std::int64_t>::max() / 1000) return std::nullopt;
  return Millicores{*quota * 1000 / *period};
}

std::optional<double> some_pressure(std::string_view text) {
  std::optional<double> share;
  for_each_line(text, [&](std::string_view line) {
    constexpr std::string_view kKey = "avg10=";
    const auto words = words_of(line);
    if (words.size() < 2 || words[0] != "some" || !words[1].starts_with(kKey)) return;
    const auto percent = read_number<double>(words[1].substr(kKey.size()));
    if (percent && *percent >= 0 && *percent <= 100) share = *percent / 100;
  });
  return share;
}

std::optional<ProcessUse> process_use(std::string_view stat, std::int64_t ticks_per_second,
                                      std::int64_t page_bytes) {
  // The name in parentheses may contain anything, spaces and parentheses included. The word after
  // it is field 3.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || ticks_per_second <= 0) return std::nullopt;
  const auto words = words_of(stat.substr(name_end + 1));
  constexpr std::size_t kUserTime = 14 - 3;
  constexpr std::size_t kSystemTime = 15 - 3;
  constexpr std::size_t kResidentPages = 24 - 3;
  if (words.size() <= kResidentPages) return std::nullopt;
  const auto user = read_number<std::int64_t>(words[kUserTime]);
  const auto system = read_number<std::int64_t>(words[kSystemTime]);
  const auto pages = read_number<std::int64_t>(words[kResidentPages]);
  if (!user || !system || !pages) return std::nullopt;
  const auto tick = std::chrono::nanoseconds(std::nano::den / ticks_per_second);
  return ProcessUse{(*user + *system) * tick, {*pages * page_bytes}};
}

}  // namespace bellows::queue_proxy
