// slow_table [--tuning|--report] [--model LETTER] [--seed N]: replica-seconds and missed goals of
// the slow brain on app models x loads, beside fixed targets and peers (bench/slow/README.md).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "bench/slow/cases.hpp"
#include "bench/slow/peers.hpp"
#include "simulator/simulation.hpp"
#include "simulator/world.hpp"

namespace bellows::slow_table {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLength = 150min;
constexpr Duration kWarmUp = 30min;
constexpr std::array<double, 12> kSweep = {2, 3, 4, 5, 6.5, 8, 10, 13, 17, 23, 32, 60};

struct Result {
  double replica_seconds = 0;
  double missed = 0;  // share of the seconds with responses
  double p95 = 0;
  std::uint64_t kills = 0;
  std::uint64_t lost = 0;
  int target_changes = 0;
  double last_target = 0;
};

config::RevisionSettings settings_for(const Model& model) {
  config::RevisionSettings settings;
  settings.container_concurrency = 0;
  settings.request_timeout = Duration::zero();
  settings.drain_timeout = 24h;
  settings.max_scale = 200;
  settings.slow_brain.latency_goal = model.goal;
  settings.slow_brain.mode = config::SlowBrain::kOff;
  return settings;
}

Result result_of(const simulator::Outcome& outcome) {
  Result result;
  result.replica_seconds = outcome.replica_seconds;
  result.missed = outcome.seconds_with_responses == 0
                      ? 0
                      : static_cast<double>(outcome.seconds_over_goal) /
                            static_cast<double>(outcome.seconds_with_responses);
  result.p95 = to_seconds(outcome.p95_response);
  result.kills = outcome.memory_kills;
  result.lost = outcome.lost();
  return result;
}

class Table {
 public:
  Table(const Model& model, const Load& load, std::uint64_t seed)
      : model_(model),
        workload_(workload_of(model, load, kLength, kWarmUp, seed)),
        profile_(simulator::profile_load(workload_)) {}

  Result fixed(double target) {
    config::RevisionSettings settings = settings_for(model_);
    settings.target = target;
    return result_of(simulator::simulate(workload_, profile_, settings));
  }
  Result knative() {
    config::RevisionSettings settings = settings_for(model_);
    settings.target = 100;
    settings.target_utilization_percentage = 70;
    return result_of(simulator::simulate(workload_, profile_, settings));
  }
  Result slow_brain() {
    config::RevisionSettings settings = settings_for(model_);
    settings.slow_brain.mode = config::SlowBrain::kAuto;
    Result changes;
    double before = 0;
    const auto sink = [&](const autoscaler::DeciderState&, const autoscaler::Decision& decision) {
      const double target = decision.spec.total;
      if (decision.at - simulator::kSimulationBegin > kWarmUp && before > 0 && target != before) {
        ++changes.target_changes;
      }
      before = target;
      if (std::getenv("SLOW_TABLE_TRACE") != nullptr && target != changes.last_target) {
        std::fprintf(stderr, "%6.0f target %.1f\n",
                     to_seconds(decision.at - simulator::kSimulationBegin), target);
      }
      changes.last_target = target;
    };
    Result result = result_of(simulator::simulate(workload_, profile_, settings, {}, sink));
    result.target_changes = changes.target_changes;
    result.last_target = changes.last_target;
    return result;
  }
  template <class Scaler>
  Result peer() {
    const config::RevisionSettings settings = settings_for(model_);
    Scaler scaler(settings);
    return result_of(simulator::World(workload_, profile_, settings, scaler).run({}));
  }

 private:
  Model model_;
  simulator::Workload workload_;
  simulator::LoadProfile profile_;
};

/// The cheapest fixed target that misses the goal in at most 1 % of the seconds, and that has no
/// kill; if none does, the one that misses it least.
struct Oracle {
  double target = 0;
  Result result;
  double cheapest_as_good = 0;
};
Oracle oracle_of(Table& table) {
  Oracle best;
  bool keeps = false;
  for (const double target : kSweep) {
    const Result result = table.fixed(target);
    const bool is_kept = result.missed <= 0.01 && result.kills == 0;
    const bool is_better =
        best.target == 0 || (is_kept && !keeps) ||
        (is_kept == keeps && (keeps ? result.replica_seconds < best.result.replica_seconds
                                    : result.missed < best.result.missed));
    if (is_better) best = {target, result, 0};
    keeps = keeps || is_kept;
  }
  return best;
}

void print(const char* name, const Result& result, const Oracle& oracle) {
  std::printf("  %-10s %9.0f  x%5.2f  missed %5.2f %%  p95 %6.2f s  kills %3llu  lost %5llu", name,
              result.replica_seconds, result.replica_seconds / oracle.result.replica_seconds,
              100 * result.missed, result.p95, static_cast<unsigned long long>(result.kills),
              static_cast<unsigned long long>(result.lost));
  if (result.last_target > 0) {
    std::printf("  target %.1f, %d changes", result.last_target, result.target_changes);
  }
  std::printf("\n");
}

double play(const Model& model, const Load& load, std::uint64_t seed, bool has_peers) {
  Table table(model, load, seed);
  const Oracle oracle = oracle_of(table);
  std::printf("%s, %s (seed %llu%s): the best fixed target is %.1f\n", model.name.c_str(),
              load.name.c_str(), static_cast<unsigned long long>(seed),
              load.is_for_tuning ? ", for tuning" : "", oracle.target);
  print("oracle", oracle.result, oracle);
  const Result ours = table.slow_brain();
  print("slow brain", ours, oracle);
  if (has_peers) {
    print("fixed 1", table.fixed(1), oracle);
    print("fixed 10", table.fixed(10), oracle);
    print("fixed 100", table.fixed(100), oracle);
    print("knative", table.knative(), oracle);
    print("hpa 60 %", table.peer<HpaScaler>(), oracle);
    print("envoy", table.peer<LimitScaler<EnvoyGradient>>(), oracle);
    print("gradient2", table.peer<LimitScaler<Gradient2>>(), oracle);
  }
  std::fflush(stdout);
  return ours.replica_seconds / oracle.result.replica_seconds;
}

}  // namespace
}  // namespace bellows::slow_table

int main(int argc, char** argv) {
  using namespace bellows::slow_table;
  bool is_tuning = false;
  bool has_peers = true;
  std::string letter;
  std::uint64_t seed = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--tuning") is_tuning = true;
    if (word == "--no-peers") has_peers = false;
    if (word == "--model" && i + 1 < argc) letter = argv[++i];
    if (word == "--seed" && i + 1 < argc) seed = std::strtoull(argv[++i], nullptr, 10);
  }
  std::vector<double> ratios;
  for (const Model& model : models()) {
    if (!letter.empty() && model.name.substr(0, 1) != letter) continue;
    for (const Load& load : loads()) {
      if (load.is_for_tuning != is_tuning) continue;
      ratios.push_back(play(model, load, seed, has_peers));
    }
  }
  std::sort(ratios.begin(), ratios.end());
  if (ratios.empty()) return 2;
  std::printf("replica-seconds of the slow brain / oracle: median %.2f, highest %.2f\n",
              ratios[ratios.size() / 2], ratios.back());
  return 0;
}
