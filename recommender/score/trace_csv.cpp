#include "recommender/score/trace_csv.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "base/csv.hpp"
#include "base/duration_text.hpp"

namespace bellows::recommender::score {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view kCsvColumns = "seconds,container,cpu_cores,memory_bytes";
constexpr double kMaxCores = 1e5;
constexpr double kMaxBytes = 1e14;
constexpr Duration::rep kMaxSteps = 5'000'000;

struct Line {
  Duration at{};
  Demand demand;
};
struct Container {
  std::string name;
  std::vector<Line> lines;
};

Result<Line> read_line(const CsvReader& csv) {
  Line line;
  BELLOWS_CHECKED(csv.want_fields(kCsvColumns, 4));
  BELLOWS_TRY(line.at, csv.seconds(0, "seconds"));
  if (csv.field(1).empty()) return fail(csv.wrong("container", "", "a name"));
  BELLOWS_TRY(line.demand.cpu_cores, csv.number(2, "cpu_cores", kMaxCores));
  BELLOWS_TRY(line.demand.memory_bytes, csv.number(3, "memory_bytes", kMaxBytes));
  return line;
}

Duration step_of(const std::vector<Line>& lines) {
  Duration step = 1min;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Duration distance = lines[i].at - lines[i - 1].at;
    step = i == 1 ? distance : std::min(step, distance);
  }
  return std::max<Duration>(step, 1s);
}

Result<Workload> workload_of(std::string_view file, const Container& container) {
  Workload workload{
      .name = std::string(file) + ":" + container.name,
      .about = "Measured: container " + container.name + " in " + std::string(file) + "."};
  workload.step = step_of(container.lines);
  const Duration begin = container.lines.front().at;
  const Duration last = container.lines.back().at - begin;
  if (last / workload.step >= kMaxSteps) {
    return fail(ErrorKind::kMalformed, std::string(file) + ": container " + container.name,
                duration_text(last) + " in steps of " + duration_text(workload.step) +
                    ": want at most 5000000 steps");
  }
  std::size_t line = 0;
  for (Duration at{}; at <= last; at += workload.step) {
    while (line + 1 < container.lines.size() && container.lines[line + 1].at - begin <= at) ++line;
    workload.by_time.push_back(container.lines[line].demand);
  }
  workload.lifetimes = {{0, workload.by_time.size()}};
  const Demand& first = workload.by_time.front();
  workload.first = {
      Millicores{std::max<std::int64_t>(1, std::llround(2 * first.cpu_cores * kMillicoresPerCore))},
      Bytes{std::max<std::int64_t>(1, std::llround(2 * first.memory_bytes))}};
  return workload;
}

}  // namespace

Result<std::vector<Workload>> read_trace(std::string_view file, std::string_view text) {
  std::vector<Container> containers;
  std::map<std::string, std::size_t, std::less<>> by_name;
  CsvReader csv(file, text);
  while (csv.next()) {
    if (csv.line() == 1 && csv.field(0) == "seconds") continue;
    BELLOWS_TRY(const Line line, read_line(csv));
    const auto [found, is_new] = by_name.emplace(csv.field(1), containers.size());
    if (is_new) containers.push_back({found->first, {}});
    auto& lines = containers[found->second].lines;
    if (!lines.empty() && line.at <= lines.back().at) {
      return fail(csv.wrong("seconds", csv.field(0),
                            "more than the line before of container " + found->first));
    }
    lines.push_back(line);
  }
  if (containers.empty()) {
    return fail(ErrorKind::kMalformed, std::string(file),
                "no line in it: want at least one " + std::string(kCsvColumns));
  }
  std::vector<Workload> workloads;
  for (const Container& container : containers) {
    BELLOWS_TRY(Workload workload, workload_of(file, container));
    workloads.push_back(std::move(workload));
  }
  return workloads;
}

}  // namespace bellows::recommender::score
