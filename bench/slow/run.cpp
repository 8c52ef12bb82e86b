#include "bench/slow/run.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number_text.hpp"
#include "bench/slow/peers.hpp"
#include "simulator/world.hpp"

namespace bellows::slow_table {
namespace {

using namespace std::chrono_literals;

/// Steps of at most 30 % around the optimum; bisection makes them 2 %.
constexpr std::array<double, 17> kSweep = {1.5, 2,  3,  4,  5,  6.5, 8,   10, 13,
                                           17,  23, 32, 42, 56, 75,  100, 140};
constexpr int kBisections = 3;

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
  if (outcome.seconds_with_responses > 0) {
    result.missed = static_cast<double>(outcome.seconds_over_goal) /
                    static_cast<double>(outcome.seconds_with_responses);
  }
  result.kills = outcome.memory_kills;
  result.lost = outcome.lost();
  return result;
}

/// Writes down what each evaluation said.
class WatchedScaler final : public simulator::DecidingScaler {
 public:
  explicit WatchedScaler(const config::RevisionSettings& settings) : DecidingScaler(settings) {}

  std::vector<std::pair<Duration, double>> targets;
  std::string evaluations;
  autoscaler::slow::Advice last;
  using DecidingScaler::learned;

 protected:
  void advised(const autoscaler::slow::Advice& advice) override {
    namespace slow = autoscaler::slow;
    last = advice;
    const Duration at = advice.at - simulator::kSimulationBegin;
    if (targets.empty() || targets.back().second != advice.target) {
      targets.emplace_back(at, advice.target);
    }
    evaluations += fixed_text(to_seconds(at), 0) + " s: " + fixed_text(advice.before, 1) + " -> " +
                   fixed_text(advice.target, 1) + ", " + std::string(to_string(advice.step)) +
                   ", wanted " + fixed_text(advice.wanted, 1);
    for (std::size_t i = 0; i < slow::kReasons; ++i) {
      const auto& bound = advice.bounds[i];
      if (!bound) continue;
      evaluations += ", " + std::string(to_string(static_cast<slow::Reason>(i))) + " " +
                     fixed_text(bound->level, 1) + (bound->is_seen ? "" : "+") + " " +
                     fixed_text(bound->confidence, 2);
    }
    if (advice.kept_load > 0) evaluations += ", kept for " + fixed_text(advice.kept_load, 0);
    evaluations += "\n";
  }
};

}  // namespace

double Result::target_at(Duration at) const {
  double target = 0;
  for (const auto& [since, value] : targets) {
    if (since <= at) target = value;
  }
  return target;
}

int Result::changes_since(Duration begin) const {
  return static_cast<int>(std::count_if(targets.begin(), targets.end(),
                                        [&](const auto& each) { return each.first > begin; }));
}

Runs::Runs(const Model& model, const Load& load, const Course& course, std::uint64_t seed)
    : model_(model),
      workload_(workload_of(model, load, course, seed)),
      profile_(simulator::profile_load(workload_)) {}

const Result& Runs::fixed(double target) {
  const auto [it, is_new] = fixed_.try_emplace(target);
  if (is_new) {
    config::RevisionSettings settings = settings_for(model_);
    settings.target = target;
    it->second = result_of(simulator::simulate(workload_, profile_, settings));
  }
  return it->second;
}

Result Runs::knative() const {
  config::RevisionSettings settings = settings_for(model_);
  settings.target = 100;
  settings.target_utilization_percentage = 70;
  return result_of(simulator::simulate(workload_, profile_, settings));
}

Result Runs::slow_brain(bool has_goal) const {
  config::RevisionSettings settings = settings_for(model_);
  settings.slow_brain.mode = config::SlowBrain::kAuto;
  if (!has_goal) settings.slow_brain.latency_goal = "";
  WatchedScaler scaler(settings);
  const config::RevisionSettings counted = settings_for(model_);
  Result result =
      result_of(simulator::World(workload_, profile_, counted, scaler).run(simulator::Progress{}));
  result.targets = std::move(scaler.targets);
  result.evaluations = std::move(scaler.evaluations);
  result.advice = scaler.last;
  result.learned = scaler.learned();
  return result;
}

autoscaler::slow::SlowSpec Runs::slow_spec() const {
  config::RevisionSettings settings = settings_for(model_);
  settings.slow_brain.mode = config::SlowBrain::kAuto;
  return autoscaler::slow::slow_spec(settings);
}

template <class Scaler>
Result Runs::peer() const {
  const config::RevisionSettings settings = settings_for(model_);
  Scaler scaler(settings);
  return result_of(simulator::World(workload_, profile_, settings, scaler).run({}));
}

Result Runs::hpa() const {
  return peer<HpaScaler>();
}
Result Runs::envoy() const {
  return peer<LimitScaler<EnvoyGradient>>();
}
Result Runs::gradient2() const {
  return peer<LimitScaler<Gradient2>>();
}

Best Runs::best(double allowed) {
  const auto is_kept = [&](double target) {
    const Result& result = fixed(target);
    return result.missed <= allowed && result.kills == 0;
  };
  std::size_t highest = kSweep.size();
  std::size_t least = 0;
  for (std::size_t i = 0; i < kSweep.size(); ++i) {
    if (is_kept(kSweep[i])) highest = i;
    if (fixed(kSweep[i]).missed < fixed(kSweep[least]).missed) least = i;
  }
  if (highest == kSweep.size()) return {kSweep[least], fixed(kSweep[least])};
  double low = kSweep[highest];
  if (highest + 1 < kSweep.size()) {
    double high = kSweep[highest + 1];
    for (int i = 0; i < kBisections; ++i) {
      const double middle = std::sqrt(low * high);
      (is_kept(middle) ? low : high) = middle;
    }
  }
  return {low, fixed(low)};
}

}  // namespace bellows::slow_table
