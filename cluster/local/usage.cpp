#include "cluster/local/usage.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "base/sys/descriptor.hpp"

namespace bellows::cluster {

namespace {

/// Returns the first 4 KB, which suffice for a stat file.
std::string read_proc_file(pid_t pid, const std::string& name) {
  const std::string path = "/proc/" + std::to_string(pid) + "/" + name;
  const sys::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> buffer;  // NOLINT: filled by read
  const ssize_t got = file.get() < 0 ? 0 : ::read(file.get(), buffer.data(), buffer.size());
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

std::vector<std::int64_t> numbers_in(std::string_view text) {
  std::vector<std::int64_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error == std::errc()) {
      numbers.push_back(number);
      at = stop;
    } else {
      ++at;
    }
  }
  return numbers;
}

}  // namespace

ProcessTotals operator+(const ProcessTotals& a, const ProcessTotals& b) {
  return {a.cpu + b.cpu, a.memory + b.memory};
}

std::optional<ProcessTotals> parse_proc_stat(std::string_view text) {
  // The name in parentheses may contain anything, numbers and parentheses included.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || text.size() < name_end + 4) return std::nullopt;
  // After the name and the one-letter state follow the fields from number 4 on (proc(5)).
  const std::vector<std::int64_t> fields = numbers_in(text.substr(name_end + 4));
  constexpr std::size_t kFirst = 4;
  constexpr std::size_t kUserTime = 14 - kFirst;
  constexpr std::size_t kChildrenSystemTime = 17 - kFirst;
  constexpr std::size_t kResidentPages = 24 - kFirst;
  if (fields.size() <= kResidentPages) return std::nullopt;
  std::int64_t ticks = 0;
  for (std::size_t i = kUserTime; i <= kChildrenSystemTime; ++i) ticks += fields[i];
  static const std::int64_t ticks_per_second = ::sysconf(_SC_CLK_TCK);
  static const std::int64_t page_bytes = ::sysconf(_SC_PAGESIZE);
  return ProcessTotals{Duration(ticks * (std::nano::den / ticks_per_second)),
                       {fields[kResidentPages] * page_bytes}};
}

std::vector<pid_t> process_tree(pid_t root) {
  std::vector<pid_t> tree = {root};
  for (std::size_t next = 0; next < tree.size(); ++next) {
    // Other threads may have children too, but those of a shim or a shell have none.
    const std::string children = "task/" + std::to_string(tree[next]) + "/children";
    for (const std::int64_t child : numbers_in(read_proc_file(tree[next], children))) {
      tree.push_back(static_cast<pid_t>(child));
    }
  }
  return tree;
}

ProcessTotals read_process_tree(pid_t root) {
  ProcessTotals totals;
  for (const pid_t pid : process_tree(root)) {
    if (const auto own = parse_proc_stat(read_proc_file(pid, "stat"))) totals = totals + *own;
  }
  return totals;
}

std::optional<Usage> UsageMeter::sample(const ProcessTotals& totals, TimePoint now) {
  const std::optional<Sample> before = last_;
  last_ = Sample{now, totals.cpu};
  if (!before || now <= before->at) return std::nullopt;
  const Duration used = std::max(totals.cpu - before->cpu, Duration::zero());
  const double cores = to_seconds(used) / to_seconds(now - before->at);
  return Usage{{static_cast<std::int64_t>(cores * 1000 + 0.5)}, totals.memory};
}

}  // namespace bellows::cluster
