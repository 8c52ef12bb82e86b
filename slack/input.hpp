// The input of plan, probe and report: lists, types, state and revisions into a planner.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "slack/core/planner.hpp"
#include "slack/program_settings.hpp"

namespace bellows::slack {

/// A planner that has taken everything in, and what is wrong with single objects.
struct Loaded {
  std::unique_ptr<Planner> planner;
  std::vector<Unmet> problems;

  /// The plan with those problems.
  Plan plan();
};

/// `files`: at most one FILE. Errors of the content are kMalformed, of the command line
/// kInvalidSetting.
Result<Loaded> load_input(const PlanSettings& settings, const std::vector<std::string>& files);

}  // namespace bellows::slack
