#include "queue-proxy/service/app_usage.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "base/read_number.hpp"
#include "base/sys/descriptor.hpp"
#include "base/sys/tcp_listeners.hpp"

namespace bellows::queue_proxy {
namespace {

constexpr Duration kBetweenSearches = std::chrono::seconds(10);
/// A memory limit of version 1 that is none: the largest multiple of a page.
constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;

/// Calls is_last(name) for the entries of a folder until it says so: some processes have many
/// thousand descriptors.
template <class F>
void for_each_entry(const std::string& folder, F is_last) {
  const auto close = [](DIR* open) { ::closedir(open); };
  const std::unique_ptr<DIR, decltype(close)> open(::opendir(folder.c_str()), close);
  if (open == nullptr) return;
  while (const dirent* entry = ::readdir(open.get())) {
    if (is_last(std::string_view(static_cast<const char*>(entry->d_name)))) return;
  }
}

/// Whether a descriptor in this folder is one of these sockets ("socket:[INODE]").
bool holds_one(const std::string& folder, const std::vector<std::string>& sockets) {
  bool is_found = false;
  for_each_entry(folder, [&](std::string_view descriptor) {
    std::array<char, 64> target{};
    const std::string path = folder + "/" + std::string(descriptor);
    const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
    const std::string_view text(target.data(),
                                static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    is_found = std::find(sockets.begin(), sockets.end(), text) != sockets.end();
    return is_found;
  });
  return is_found;
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

/// Calls add(part) for one part of the file after the other, until that says that it has enough.
template <class F>
void AppUsage::read_parts(const std::string& path, F has_enough) const {
  const sys::Descriptor file(::open((root_ + path).c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return;
  std::array<char, 4096> buffer;  // NOLINT: filled by read
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got <= 0) return;
    if (has_enough(std::string_view(buffer.data(), static_cast<std::size_t>(got)))) return;
  }
}

/// The first 32 KB; empty if it cannot be read.
std::string AppUsage::read(const std::string& path) const {
  constexpr std::size_t kMostBytes = std::size_t{32} * 1024;
  std::string text;
  read_parts(path, [&](std::string_view part) {
    text += part;
    return text.size() >= kMostBytes;
  });
  return text;
}

/// The file has a line for each socket of the network namespace, so it is never in memory as a
/// whole.
std::vector<std::uint64_t> AppUsage::listening(const std::string& path) const {
  std::vector<std::uint64_t> inodes;
  std::string rest;  // the begin of a line
  read_parts(path, [&](std::string_view part) {
    rest += part;
    const std::size_t end = rest.rfind('\n') + 1;
    for (const sys::TcpListener& each :
         sys::parse_tcp_listeners(std::string_view(rest).substr(0, end))) {
      if (each.port == app_port_) inodes.push_back(each.inode);
    }
    rest.erase(0, end);
    return false;
  });
  return inodes;
}

std::vector<pid_t> AppUsage::holders(const std::vector<std::uint64_t>& inodes) const {
  std::vector<std::string> sockets;
  for (const std::uint64_t inode : inodes) {
    sockets.push_back("socket:[" + std::to_string(inode) + "]");
  }
  std::vector<pid_t> found;
  for_each_entry(root_ + "/proc", [&](std::string_view name) {
    const auto pid = read_number<pid_t>(name);
    const bool is_other = pid && *pid != ::getpid();
    if (is_other && holds_one(root_ + "/proc/" + std::string(name) + "/fd", sockets)) {
      found.push_back(*pid);
    }
    return false;
  });
  return found;
}

void AppUsage::search(TimePoint now) {
  if (searched_ && now - *searched_ < kBetweenSearches) return;
  searched_ = now;
  group_ = {};
  before_ = {};
  std::vector<std::uint64_t> inodes = listening("/proc/net/tcp");
  const std::vector<std::uint64_t> more = listening("/proc/net/tcp6");
  inodes.insert(inodes.end(), more.begin(), more.end());
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
