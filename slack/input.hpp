// Loads the input of plan, probe and report: lists, types, state and revisions into a planner.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "slack/core/planner.hpp"
#include "slack/program_settings.hpp"

namespace bellows::slack {

/// A planner with all input, and the problems of single objects.
struct Loaded {
  std::unique_ptr<Planner> planner;
  std::vector<Unmet> problems;

  /// Returns the plan with those problems.
  Plan plan();
};

/// Loads the input. `files` has at most one FILE. Errors of the content are kMalformed, of the
/// command line kInvalidSetting.
Result<Loaded> load_input(const PlanSettings& settings, const std::vector<std::string>& files);

}  // namespace bellows::slack
