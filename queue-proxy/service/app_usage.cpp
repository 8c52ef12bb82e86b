#include "queue-proxy/service/app_usage.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/sys/descriptor.hpp"

namespace bellows::queue_proxy {
namespace {

constexpr Duration kBetweenSearches = std::chrono::seconds(10);
/// Memory limits of version 1 from here on mean none: the largest multiple of a page.
constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;

std::optional<Duration> micros(const std::optional<std::int64_t>& amount) {
  return amount ? std::optional<Duration>(std::chrono::microseconds(*amount)) : std::nullopt;
}
std::optional<Duration> nanos(const std::optional<std::int64_t>& amount) {
  return amount ? std::optional<Duration>(std::chrono::nanoseconds(*amount)) : std::nullopt;
}

std::optional<Bytes> limit_of(const std::optional<std::int64_t>& bytes) {
  return bytes && *bytes < kNoLimit ? std::optional(Bytes{*bytes}) : std::nullopt;
}

/// Returns the difference to the last total; nullopt for the first one, or if the total decreased
/// because a process ended.
std::optional<Duration> since(const std::optional<Duration>& before,
                              const std::optional<Duration>& now) {
  if (!before || !now || *now < *before) return std::nullopt;
  return *now - *before;
}

/// Returns the cores that the process may run on.
std::optional<Millicores> allowed_cores(pid_t pid) {
  cpu_set_t cores;
  if (::sched_getaffinity(pid, sizeof cores, &cores) != 0) return std::nullopt;
  return Millicores{CPU_COUNT(&cores) * 1000};
}

}  // namespace

AppUsage::AppUsage(std::uint16_t app_port, std::string root)
    : app_port_(app_port), root_(std::move(root)) {}

/// Returns the first 32 KB of a file; empty if it cannot be read.
std::string AppUsage::read(const std::string& path) const {
  constexpr std::size_t kMostBytes = std::size_t{32} * 1024;
  const sys::Descriptor file(::open((root_ + path).c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return {};
  std::string text;
  std::array<char, 4096> buffer;  // NOLINT: filled by read
  while (text.size() < kMostBytes) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

bool AppUsage::search(TimePoint now) {
  if (search_) return continue_search();
  const bool is_due = !searched_ || now - *searched_ >= kBetweenSearches;
  if (!is_ready_ || !processes_.empty() || !is_due) return false;
  searched_ = now;
  search_.emplace(app_port_, root_);
  return true;
}

bool AppUsage::continue_search() {
  if (search_->step()) return true;
  processes_ = search_->found();
  search_.reset();
  before_ = {};
  find_group();
  return false;
}

void AppUsage::set_ready(bool is_ready) {
  if (is_ready && !is_ready_) searched_.reset();
  is_ready_ = is_ready;
}

void AppUsage::find_group() {
  group_ = {};
  if (processes_.empty()) return;
  const std::string folder = "/proc/" + std::to_string(processes_.front());
  const auto of_app = group_folders(read(folder + "/cgroup"), read("/proc/self/mountinfo"));
  const auto own = group_folders(read("/proc/self/cgroup"), read("/proc/self/mountinfo"));
  group_.is_v2 = of_app.is_v2;
  if (of_app.cpu != own.cpu) group_.cpu = of_app.cpu;
  if (of_app.cpu_time != own.cpu_time) group_.cpu_time = of_app.cpu_time;
  if (of_app.memory != own.memory) group_.memory = of_app.memory;
}

void AppUsage::add_to(metrics::ReplicaReading& reading) {
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

/// Reads the usage of the processes, and detects that the app has ended.
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
