#include "slack/sim/scenario.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/random.hpp"

namespace bellows::slack::sim {

namespace {

constexpr std::int64_t kMi = std::int64_t{1} << 20U;
constexpr std::int64_t kHour = 3600;

Shape workload(const std::string& name, std::int64_t cpu, std::int64_t memory_mi) {
  Shape shape;
  shape.name = "default/Deployment/" + name;
  shape.space = "default";
  shape.labels = {{"app", name}};
  shape.requests = {cpu, memory_mi * kMi, 1};
  return shape;
}

/// Returns a few sizes, one workload that spreads over nodes, and one that requires its own nodes'
/// label.
std::vector<Shape> usual_workloads() {
  std::vector<Shape> all = {workload("web", 500, 1024), workload("api", 250, 512),
                            workload("worker", 1000, 2048), workload("cache", 400, 6144)};
  all[3].anti_affinity = {{.selector = {{"app", Requirement::Operator::kIn, {"cache"}}},
                           .namespaces = {"default"},
                           .topology_key = std::string(kHostname)}};
  return all;
}

std::int64_t poisson(Random& random, double mean) {
  const double limit = std::exp(-mean);
  std::int64_t count = -1;
  double product = 1;
  do {
    ++count;
    product *= random.fraction();
  } while (product > limit);
  return count;
}

using Steps = std::vector<Step>;

void start_all(Steps& steps, std::initializer_list<std::int64_t> pods) {
  std::size_t workload = 0;
  for (const std::int64_t count : pods) steps.push_back({0, workload++, count});
}

/// Returns single pods that stay half an hour on average.
Steps poisson_steps(Random& random, std::int64_t seconds) {
  std::array<std::int64_t, 4> demand = {40, 60, 20, 6};
  constexpr std::array<double, 4> kPerMinute = {1.3, 2.0, 0.66, 0.2};
  Steps steps;
  start_all(steps, {40, 60, 20, 6});
  for (std::int64_t second = 60; second < seconds; second += 60) {
    for (std::size_t one = 0; one < demand.size(); ++one) {
      const std::int64_t come = poisson(random, kPerMinute[one]);
      const std::int64_t go = poisson(random, static_cast<double>(demand[one]) / 30);
      const std::int64_t next = std::max<std::int64_t>(demand[one] + come - go, 1);
      if (next != demand[one]) steps.push_back({second, one, next});
      demand[one] = next;
    }
  }
  return steps;
}

/// Grows one workload by half at once, and shrinks it an hour later.
Steps step_steps(Random&, std::int64_t seconds) {
  Steps steps;
  start_all(steps, {40, 60, 20, 6});
  for (std::int64_t second = kHour; second + kHour < seconds; second += 2 * kHour) {
    steps.push_back({second, 0, 60});
    steps.push_back({second + kHour, 0, 40});
  }
  return steps;
}

/// Doubles a workload every 15 s up to four times its size, as an HPA does, at random times.
Steps burst_steps(Random& random, std::int64_t seconds) {
  Steps steps;
  start_all(steps, {40, 60, 20, 6});
  for (std::int64_t second = 1800; second + 1800 < seconds;) {
    const auto one = static_cast<std::size_t>(random.next() % 3);
    const std::int64_t base = std::array<std::int64_t, 3>{40, 60, 20}[one];
    const std::int64_t most = base + base * static_cast<std::int64_t>(1 + random.next() % 2) / 2;
    std::int64_t pods = base;
    std::int64_t at = second;
    for (; pods < most; at += 15) {
      pods = std::min(most, pods + std::max<std::int64_t>(base / 4, 4));
      steps.push_back({at, one, pods});
    }
    steps.push_back({at + 600 + static_cast<std::int64_t>(random.next() % 600), one, base});
    second = at + 1500 + static_cast<std::int64_t>(random.next() % 1800);
  }
  return steps;
}

/// Compresses a day to the length of the scenario.
Steps diurnal_steps(Random& random, std::int64_t seconds) {
  constexpr std::array<std::int64_t, 4> kBase = {40, 60, 20, 6};
  Steps steps;
  std::array<std::int64_t, 4> demand = kBase;
  start_all(steps, {40, 60, 20, 6});
  for (std::int64_t second = 30; second < seconds; second += 30) {
    const double turn =
        2 * std::numbers::pi * static_cast<double>(second) / static_cast<double>(seconds);
    for (std::size_t one = 0; one < kBase.size(); ++one) {
      const double noise = 0.04 * (random.fraction() - 0.5);
      const double level = 1 + 0.6 * (1 - std::cos(turn)) / 2 + noise;
      const auto pods = static_cast<std::int64_t>(static_cast<double>(kBase[one]) * level);
      if (pods != demand[one]) steps.push_back({second, one, pods});
      demand[one] = pods;
    }
  }
  return steps;
}

/// Adds a batch of 30 workers every 40 minutes, for 10 minutes.
Steps batch_steps(Random&, std::int64_t seconds) {
  Steps steps;
  start_all(steps, {40, 60, 20, 6});
  for (std::int64_t second = 1200; second + 600 < seconds; second += 2400) {
    steps.push_back({second, 2, 50});
    steps.push_back({second + 600, 2, 20});
  }
  return steps;
}

struct Kind {
  std::string_view name;
  std::string_view about;
  Steps (*steps)(Random&, std::int64_t);
};

constexpr std::array<Kind, 5> kKinds = {{
    {"poisson", "Pods come and go one by one.", poisson_steps},
    {"step", "One workload grows by half at once, for an hour.", step_steps},
    {"burst", "An HPA grows one workload by a half to the whole within a minute.", burst_steps},
    {"diurnal", "All workloads follow a day, up to 1.6 times the night.", diurnal_steps},
    {"batch", "30 workers at once, every 40 minutes.", batch_steps},
}};

}  // namespace

std::vector<NodeType> usual_types() {
  NodeType small;
  small.name = "small";
  small.allocatable = {3900, 15 * 1024 * kMi, 110};
  small.price = 0.20;
  NodeType large;
  large.name = "large";
  large.allocatable = {15800, 62 * 1024 * kMi, 110};
  large.price = 0.80;
  return {small, large};
}

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

Result<Scenario> make_scenario(const std::string& name, std::uint64_t seed) {
  for (const Kind& kind : kKinds) {
    if (kind.name != name) continue;
    SeededRandom random(seed);
    Scenario scenario;
    scenario.name = name;
    scenario.about = kind.about;
    scenario.types = usual_types();
    scenario.workloads = usual_workloads();
    scenario.seconds = 8 * kHour;
    scenario.failures_per_node_day = 0.05;
    scenario.order_failures = 0.02;
    scenario.steps = kind.steps(random, scenario.seconds);
    std::stable_sort(scenario.steps.begin(), scenario.steps.end(),
                     [](const Step& a, const Step& b) { return a.second < b.second; });
    return scenario;
  }
  std::string known;
  for (const Kind& kind : kKinds) known += (known.empty() ? "" : ", ") + std::string(kind.name);
  return fail(ErrorKind::kInvalidSetting, "scenario", "\"" + name + "\": want one of " + known);
}

}  // namespace bellows::slack::sim
