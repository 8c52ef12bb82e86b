#include "simulator/policy.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "autoscaler/core/scaling_spec.hpp"
#include "base/text_parts.hpp"
#include "config/revision_schema.hpp"

namespace bellows::simulator {
namespace {

/// The maximum of settings that order replicas independently of the load: the time to start them
/// grows with the square of their number.
constexpr PodCount kMaxRequested = 5000;
/// Requests keep the duration that the trace gives them, also on a draining replica.
constexpr std::array<std::string_view, 3> kDefaults = {"container-concurrency=10",
                                                       "revision-timeout=0s", "drain-timeout=24h"};

config::Entry entry(std::string_view text, std::string_view place) {
  const auto equals = text.find('=');
  const bool has_value = equals != std::string_view::npos;
  config::Entry made{.source = config::Source::kFile,
                     .key = std::string(text.substr(0, equals)),
                     .value = has_value ? std::string(text.substr(equals + 1)) : std::string(),
                     .place = std::string(place)};
  if (!has_value) made.problem = "want key=value";
  return made;
}

config::Layer common_layer(std::string_view common) {
  config::Layer layer;
  if (common.empty()) return layer;
  for (const std::string_view part : split(common, ',')) layer.push_back(entry(part, "--set"));
  return layer;
}

/// Replaces @FILE by the content of the file.
void read_values(config::Layer& layer, const ReadFile& read) {
  for (config::Entry& each : layer) {
    if (!each.value.starts_with('@') || !read) continue;
    auto content = read(each.value.substr(1));
    if (content) {
      each.value = *std::move(content);
    } else {
      each.problem = to_string(content.error());
    }
  }
}

config::Checked<Policy> read_policy(std::string_view text, const config::Layer& common,
                                    const ReadFile& read) {
  const std::vector<std::string_view> parts = split(text, ':');
  const std::string place = "--policy " + std::string(text);
  config::Layer own{entry("profile=" + std::string(parts.front()), place)};
  for (std::size_t i = 1; i < parts.size(); ++i) own.push_back(entry(parts[i], place));
  read_values(own, read);
  config::Layer defaults;
  for (const std::string_view setting : kDefaults) defaults.push_back(entry(setting, "defaults"));
  auto settings = config::revision_schema().apply({defaults, common, own});
  if (!settings) return tl::unexpected(std::move(settings.error()));
  if (const auto checked = autoscaler::policies_of(*settings); !checked) {
    return tl::unexpected(std::vector<Error>{checked.error()});
  }
  return Policy{.name = std::string(text), .settings = *std::move(settings)};
}

/// A problem of a common setting occurs in every policy and is reported once.
void add_once(std::vector<Error>& problems, Error problem) {
  const auto is_same = [&](const Error& other) { return to_string(other) == to_string(problem); };
  if (std::ranges::none_of(problems, is_same)) problems.push_back(std::move(problem));
}

}  // namespace

config::Checked<std::vector<Policy>> read_policies(std::string_view list, std::string_view common,
                                                   const ReadFile& read) {
  const config::Layer of_all = common_layer(common);
  std::vector<Policy> policies;
  std::vector<Error> problems;
  for (const std::string_view text : split(list, ',')) {
    auto policy = read_policy(text, of_all, read);
    if (policy) {
      policies.push_back(*std::move(policy));
    } else {
      for (Error& problem : policy.error()) add_once(problems, std::move(problem));
    }
  }
  if (!problems.empty()) return tl::unexpected(std::move(problems));
  return policies;
}

std::vector<Error> not_simulated(const std::vector<Policy>& policies, const AppModel& app) {
  std::vector<Error> problems;
  const auto reject = [&](const Policy& policy, std::string_view setting, std::string_view want) {
    problems.emplace_back(ErrorKind::kInvalidSetting,
                          "policy " + policy.name + ": " + std::string(setting), std::string(want));
  };
  for (const Policy& policy : policies) {
    const config::RevisionSettings& settings = policy.settings;
    for (const auto& [setting, replicas] :
         {std::pair("min-scale", settings.min_scale),
          std::pair("initial-scale", settings.initial_scale),
          std::pair("activation-scale", settings.activation_scale.value_or(0))}) {
      if (replicas <= kMaxRequested) continue;
      reject(policy, setting,
             "\"" + std::to_string(replicas) + "\": want at most " + std::to_string(kMaxRequested) +
                 ", the maximum of a simulation");
    }
    if (settings.memory_utilization) {
      reject(policy, "memory-utilization", "the simulated app uses no memory: want it unset");
    }
    if (settings.cpu_utilization && app.cpu == Duration::zero()) {
      reject(policy, "cpu-utilization",
             "the app uses no CPU: want --app cpu=DURATION, or it unset");
    }
  }
  return problems;
}

}  // namespace bellows::simulator
