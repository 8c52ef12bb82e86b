// Runs of one case: an app model under a course of load, with one way to find the target.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "autoscaler/slow/slow_brain.hpp"
#include "bench/slow/cases.hpp"
#include "simulator/simulation.hpp"

namespace bellows::slow_table {

struct Result {
  double replica_seconds = 0;
  double missed = 0;  ///< share of the seconds with responses in which the goal was missed
  std::uint64_t kills = 0;
  std::uint64_t lost = 0;
  std::vector<std::pair<Duration, double>> targets{};  ///< of the slow brain, when they changed
  std::string evaluations{};                           ///< a line each
  autoscaler::slow::Advice advice{};                   ///< the last one
  autoscaler::slow::SlowState learned{};               ///< at the end

  /// The target at that time since the begin; 0: none yet.
  double target_at(Duration at) const;
  /// Changes from `begin` to the end.
  int changes_since(Duration begin) const;
};

/// The cheapest fixed target that keeps a goal.
struct Best {
  double target = 0;
  Result result{};
};

/// Owner: one case. Each run is made once, the same arguments give the same result.
class Runs {
 public:
  Runs(const Model& model, const Load& load, const Course& course, std::uint64_t seed);

  const Result& fixed(double target);
  Result knative() const;
  /// `goal`: without, the slow brain knows nothing of what the user wants.
  Result slow_brain(bool has_goal = true) const;
  Result hpa() const;
  Result envoy() const;
  Result gradient2() const;

  /// By sweep and bisection: the highest target that misses the goal in at most the share `allowed`
  /// of the seconds and has no kill; if none does, the one that misses it least.
  Best best(double allowed);

  const Model& model() const { return model_; }
  autoscaler::slow::SlowSpec slow_spec() const;

 private:
  template <class Scaler>
  Result peer() const;

  Model model_;
  simulator::Workload workload_;
  simulator::LoadProfile profile_;
  std::map<double, Result> fixed_;
};

}  // namespace bellows::slow_table
