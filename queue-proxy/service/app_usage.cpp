#include "queue-proxy/service/app_usage.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "base/sys/descriptor.hpp"

namespace bellows::queue_proxy {
namespace {

constexpr Duration kBetweenSearches = std::chrono::seconds(10);
/// A memory limit of version 1 that is none: the largest multiple of a page.
constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;

std::vector<std::string> entries_of(const std::string& folder) {
  std::vector<std::string> names;
  const auto close = [](DIR* open) { ::closedir(open); };
  const std::unique_ptr<DIR, decltype(close)> open(::opendir(folder.c_str()), close);
  if (open == nullptr) return names;
  while (const dirent* entry = ::readdir(open.get())) {
    names.emplace_back(static_cast<const char*>(entry->d_name));
  }
  return names;
}

std::optional<pid_t> pid_of(std::string_view name) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return pid;
}

std::optional<Duration> micros(const std::optional<std::int64_t>& amount) {
  return amount ? std::optional<Duration>(std::chrono::microseconds(*amount)) : std::nullopt;
}
std::optional<Duration> nanos(const std::optional<std::int64_t>& amount) {
  return amount ? std::optional<Duration>(std::chrono::nanoseconds(*amount)) : std::nullopt;
}

std::optional<Bytes> limit_of(const std::optional<std::int64_t>& bytes) {
  return bytes && *bytes < kNoLimit ? std::optional(Bytes{*bytes}) : std::nullopt;
}

/// Since the last total; nothing for the first, or if a total went back because a process ended.
std::optional<Duration> since(const std::optional<Duration>& before,
                              const std::optional<Duration>& now) {
  if (!before || !now || *now < *before) return std::nullopt;
  return *now - *before;
}

/// The cores that the process may run on.
std::optional<Millicores> allowed_cores(pid_t pid) {
  cpu_set_t cores;
  if (::sched_getaffinity(pid, sizeof cores, &cores) != 0) return std::nullopt;
  return Millicores{CPU_COUNT(&cores) * 1000};
}

}  // namespace

AppUsage::AppUsage(std::uint16_t app_port, std::string root)
    : app_port_(app_port), root_(std::move(root)) {}

/// The first 32 KB; empty if it cannot be read.
std::string AppUsage::read(const std::string& path) const {
  const sys::Descriptor file(::open((root_ + path).c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return "";
  std::string text;
  std::array<char, 4096> buffer;  // NOLINT: filled by read
  while (text.size() < 32 * buffer.size()) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

std::vector<pid_t> AppUsage::holders(const std::vector<std::uint64_t>& inodes) const {
  std::vector<std::string> sockets;
  for (const std::uint64_t inode : inodes) {
    sockets.push_back("socket:[" + std::to_string(inode) + "]");
  }
  std::vector<pid_t> found;
  for (const std::string& name : entries_of(root_ + "/proc")) {
    const auto pid = pid_of(name);
    if (!pid || *pid == ::getpid()) continue;
    const std::string folder = root_ + "/proc/" + name + "/fd";
    for (const std::string& descriptor : entries_of(folder)) {
      std::array<char, 64> target{};
      const ssize_t size =
          ::readlink((folder + "/" + descriptor).c_str(), target.data(), target.size());
      const std::string_view text(target.data(),
                                  static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
      if (std::find(sockets.begin(), sockets.end(), text) == sockets.end()) continue;
      found.push_back(*pid);
      break;
    }
  }
  return found;
}

void AppUsage::search(TimePoint now) {
  if (searched_ && now - *searched_ < kBetweenSearches) return;
  searched_ = now;
  group_ = {};
  before_ = {};
  std::vector<std::uint64_t> inodes = listening_inodes(read("/proc/net/tcp"), app_port_);
  for (const std::uint64_t inode : listening_inodes(read("/proc/net/tcp6"), app_port_)) {
    inodes.push_back(inode);
  }
  if (inodes.empty()) return;
  processes_ = holders(inodes);
  if (processes_.empty()) return;
  const std::string folder = "/proc/" + std::to_string(processes_.front());
  const auto of_app = group_folders(read(folder + "/cgroup"), read("/proc/self/mountinfo"));
  const auto own = group_folders(read("/proc/self/cgroup"), read("/proc/self/mountinfo"));
  group_.is_v2 = of_app.is_v2;
  if (of_app.cpu != own.cpu) group_.cpu = of_app.cpu;
  if (of_app.cpu_time != own.cpu_time) group_.cpu_time = of_app.cpu_time;
  if (of_app.memory != own.memory) group_.memory = of_app.memory;
}

void AppUsage::add_to(metrics::ReplicaReading& reading, TimePoint now) {
  if (processes_.empty()) search(now);
  if (processes_.empty()) return;
  const Totals of_group = read_group(reading);
  Totals totals = read_processes(reading);
  if (of_group.cpu) totals.cpu = of_group.cpu;
  totals.throttled = of_group.throttled;
  reading.cpu = since(before_.cpu, totals.cpu);
  reading.throttled = since(before_.throttled, totals.throttled);
  before_ = totals;
}

AppUsage::Totals AppUsage::read_group(metrics::ReplicaReading& reading) const {
  Totals totals;
  if (!group_.cpu.empty()) {
    const std::string stat = read(group_.cpu + "/cpu.stat");
    const auto quota = single_number(read(group_.cpu + "/cpu.cfs_quota_us"));
    const auto period = single_number(read(group_.cpu + "/cpu.cfs_period_us"));
    reading.cpu_limit = cpu_quota(read(group_.cpu + "/cpu.max"));
    if (quota && period && *period > 0) reading.cpu_limit = Millicores{*quota * 1000 / *period};
    totals.throttled = group_.is_v2 ? micros(value_of(stat, "throttled_usec"))
                                    : nanos(value_of(stat, "throttled_time"));
    if (group_.is_v2) totals.cpu = micros(value_of(stat, "usage_usec"));
    reading.cpu_pressure = some_pressure(read(group_.cpu + "/cpu.pressure"));
  }
  if (!group_.is_v2 && !group_.cpu_time.empty()) {
    totals.cpu = nanos(single_number(read(group_.cpu_time + "/cpuacct.usage")));
  }
  if (group_.memory.empty()) return totals;
  const std::string& folder = group_.memory;
  const std::string stat = read(folder + "/memory.stat");
  const auto used =
      single_number(read(folder + (group_.is_v2 ? "/memory.current" : "/memory.usage_in_bytes")));
  const auto inactive = value_of(stat, group_.is_v2 ? "inactive_file" : "total_inactive_file");
  if (used) reading.memory = Bytes{std::max<std::int64_t>(0, *used - inactive.value_or(0))};
  reading.memory_limit = limit_of(
      single_number(read(folder + (group_.is_v2 ? "/memory.max" : "/memory.limit_in_bytes"))));
  reading.memory_pressure = some_pressure(read(folder + "/memory.pressure"));
  return totals;
}

/// Also finds out that the app has ended.
AppUsage::Totals AppUsage::read_processes(metrics::ReplicaReading& reading) {
  static const std::int64_t ticks_per_second = ::sysconf(_SC_CLK_TCK);
  static const std::int64_t page_bytes = ::sysconf(_SC_PAGESIZE);
  Totals totals;
  Bytes memory;
  for (const pid_t pid : processes_) {
    const auto use =
        process_use(read("/proc/" + std::to_string(pid) + "/stat"), ticks_per_second, page_bytes);
    if (!use) {
      processes_.clear();
      return {};
    }
    totals.cpu = totals.cpu.value_or(Duration::zero()) + use->cpu;
    memory = memory + use->memory;
  }
  if (!reading.memory) reading.memory = memory;
  if (!reading.cpu_limit) reading.cpu_limit = allowed_cores(processes_.front());
  return totals;
}

}  // namespace bellows::queue_proxy
