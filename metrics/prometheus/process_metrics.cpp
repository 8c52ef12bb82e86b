#include "metrics/prometheus/process_metrics.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace bellows::metrics::prometheus {

namespace {

/// Returns the fields of /proc/self/stat from the third on (proc(5) counts from 1). The second is
/// the program's name in parentheses and may contain anything, parentheses too.
std::vector<std::string> stat_fields_after_name() {
  std::ifstream file("/proc/self/stat");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream rest(text.substr(name_end + 1));
  return {std::istream_iterator<std::string>(rest), std::istream_iterator<std::string>()};
}

double boot_time_seconds() {
  std::ifstream file("/proc/stat");
  std::string word;
  double value = 0;
  while (file >> word) {
    if (word == "btime") {
      file >> value;
      return value;
    }
  }
  return 0;
}

double count_open_fds() {
  std::error_code error;
  std::filesystem::directory_iterator fds("/proc/self/fd", error);
  if (error) return 0;
  const auto listed = std::distance(begin(fds), end(fds));
  // One is the descriptor of the listing.
  return static_cast<double>(std::max<std::ptrdiff_t>(listed - 1, 0));
}

}  // namespace

ProcessUsage read_process_usage() {
  // Positions in proc(5), minus the three fields before the first field here.
  constexpr std::size_t kUserTicks = 14 - 3;
  constexpr std::size_t kSystemTicks = 15 - 3;
  constexpr std::size_t kStartTicks = 22 - 3;
  constexpr std::size_t kResidentPages = 24 - 3;

  ProcessUsage usage;
  usage.open_fds = count_open_fds();
  const std::vector<std::string> fields = stat_fields_after_name();
  if (fields.size() <= kResidentPages) return usage;
  const auto number = [&](std::size_t at) { return std::stod(fields[at]); };
  const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  usage.cpu_seconds = (number(kUserTicks) + number(kSystemTicks)) / ticks_per_second;
  usage.start_time_seconds = boot_time_seconds() + number(kStartTicks) / ticks_per_second;
  usage.resident_memory_bytes = number(kResidentPages) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return usage;
}

}  // namespace bellows::metrics::prometheus
