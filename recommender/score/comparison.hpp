// Compares policies on workloads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "recommender/core/workload_settings.hpp"
#include "recommender/score/scorecard.hpp"

namespace bellows::recommender::score {

/// A policy with its settings.
struct Contender {
  std::string name;  ///< as on the command line: "hybrid:hybrid-hysteresis=0.2"
  std::shared_ptr<const WorkloadSettings> settings;  // shared by the policies of all workloads
};

/// Parses "NAME[:SETTING=VALUE[:SETTING=VALUE...]]" over the settings of `flags`; a setting may
/// omit the policy's name as prefix ("hysteresis" for "hybrid-hysteresis"). kInvalidSetting: the
/// culprit is the text, and the message has what is valid.
Result<Contender> parse_contender(std::string_view text, const config::Layer& flags);

/// The plotted values: one per interval of time, the maximum of its steps (requests and limits: the
/// last).
struct PlotData {
  Duration interval{};
  struct Curves {
    std::vector<double> used;
    std::vector<double> request;
    std::vector<double> limit;
  };
  Curves cpu;                     ///< cores
  Curves memory;                  ///< GiB
  std::vector<std::size_t> ooms;  ///< intervals with an OOM kill, each once
};

/// The result of one policy on one workload, or on all of them.
struct PolicyResult {
  std::string policy = {};
  Score score = {};
  double cost = 0;
  double regret_next = 0;      ///< cost minus that of the perfect next window
  double regret_constant = 0;  ///< cost minus that of the best constant
  bool is_on_front = false;    ///< no other policy dominates it
  PlotData plot_data = {};     ///< empty for all workloads
};

struct WorkloadResult {
  std::string workload = {};
  std::string about = {};
  Duration length{};
  std::vector<PolicyResult> entries = {};  ///< in the order of the contenders
  Score next_window = {};
  Score constant = {};
};

struct Comparison {
  std::uint64_t seed = 0;
  SimulationSettings world = {};
  std::vector<WorkloadResult> results = {};
  std::vector<PolicyResult> total = {};
};

/// Runs the comparison. Calls `progress` with the number of finished replays and of all.
Comparison compare(const std::vector<Workload>& workloads, const std::vector<Contender>& contenders,
                   const SimulationSettings& world,
                   const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace bellows::recommender::score
