// slack plan and slack report.
#include <algorithm>
#include <iostream>

#include "base/sys/file.hpp"
#include "slack/commands.hpp"
#include "slack/format/objects_yaml.hpp"
#include "slack/format/plan_json.hpp"
#include "slack/format/report_text.hpp"
#include "slack/format/state_json.hpp"
#include "slack/input.hpp"

namespace bellows::slack {

namespace {

/// Counts above this are reported as "at least 1000".

std::string plan_text(Output output, const PlanSettings& settings, const Planner& planner,
                      const Plan& plan) {
  const ObjectOptions options{.space = settings.space};
  switch (output) {
    case Output::kCapacityBuffer:
      return capacity_buffers_yaml(planner, plan, options);
    case Output::kDeployment:
      return deployments_yaml(planner, plan, options);
    case Output::kNodeGroups:
      return node_groups_yaml(planner, plan);
    case Output::kJson:
    case Output::kText:
      return plan_json(plan);
  }
  return {};
}

}  // namespace

int run_plan(const command::Invocation& invocation) {
  const auto settings = plan_schema().apply({invocation.arguments.flags()});
  if (!settings) return command::usage_error(invocation, settings.error());
  if (settings->output == Output::kText)
    return command::usage_error(invocation, "--output text: want it with `slack report`");
  auto loaded = load_input(*settings, invocation.arguments.positional);
  if (!loaded) return report_error(invocation, loaded.error());
  const Plan plan = loaded->plan();
  const bool is_json = settings->output == Output::kJson;
  if (has_error(plan)) {
    // Objects of a wrong plan must not be passed to `kubectl apply`.
    if (is_json) std::cout << plan_json(plan);
    for (const Unmet& one : plan.unmet) {
      if (one.is_error)
        std::cerr << "slack plan: " << one.object << ": " << one.field << ": " << one.value << ": "
                  << one.reason << "\n";
    }
    return command::kFailure;
  }
  std::cout << plan_text(settings->output, *settings, *loaded->planner, plan);
  if (settings->state.empty()) return command::kSuccess;
  const auto saved =
      sys::replace_file(settings->state, state_json(loaded->planner->save()), "the state");
  return saved ? command::kSuccess : command::report_failure(invocation, saved.error());
}

int run_report(const command::Invocation& invocation) {
  const auto settings = plan_schema().apply({invocation.arguments.flags()});
  if (!settings) return command::usage_error(invocation, settings.error());
  auto loaded = load_input(*settings, invocation.arguments.positional);
  if (!loaded) return report_error(invocation, loaded.error());
  const Plan plan = loaded->plan();
  const auto shapes = report_shapes(*loaded->planner, kMostCounted);
  const bool is_json =
      invocation.arguments.flags().end() !=
      std::find_if(invocation.arguments.flags().begin(), invocation.arguments.flags().end(),
                   [](const config::Entry& entry) { return entry.value == "json"; });
  std::cout << (is_json ? report_json(shapes, plan) : report_text(shapes, plan));
  return has_error(plan) ? command::kFailure : command::kSuccess;
}

}  // namespace bellows::slack
