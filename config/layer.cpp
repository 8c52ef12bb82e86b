#include "config/layer.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "config/suggestion.hpp"

namespace bellows::config {
namespace {

/// Returns true for a variable that Kubernetes sets for a Service: NAME_SERVICE_HOST is one of
/// them. A Service "bellows-activator" sets BELLOWS_ACTIVATOR_PORT=tcp://10.0.0.1:80 in each
/// container of its namespace; that is no setting of ours.
bool is_of_a_service(const std::string& name, const std::string& value,
                     const Environment& environment) {
  for (const std::string_view part : {"_SERVICE_HOST", "_SERVICE_PORT", "_PORT"}) {
    const std::size_t at = name.find(part);
    if (at == std::string::npos) continue;
    const bool is_port = name.size() == at + part.size() && part == "_PORT";
    if (is_port && value.find("://") == std::string::npos) continue;
    if (environment.contains(name.substr(0, at) + "_SERVICE_HOST")) return true;
  }
  return false;
}

}  // namespace

std::string origin(const Entry& entry) {
  switch (entry.source) {
    case Source::kFile:
    case Source::kProfile:
      return entry.place + ": " + entry.key;
    case Source::kJson:
      return entry.place + entry.key;
    case Source::kEnvironment:
      return "environment " + entry.key;
    case Source::kFlag:
      return (entry.key.size() == 1 ? "-" : "--") + entry.key;
    case Source::kArgument:
      return "argument " + entry.key;
  }
  return entry.key;
}

Entry flag(std::string key, std::string value) {
  return {.source = Source::kFlag,
          .key = std::move(key),
          .value = std::move(value),
          .place = {},
          .problem = {}};
}

Layer environment_layer(const std::vector<Declaration>& declarations,
                        const Environment& environment) {
  std::vector<std::string> known;
  known.reserve(declarations.size());
  for (const Declaration& declaration : declarations) known.push_back(declaration.variable);
  Layer layer;
  for (const auto& [name, value] : environment) {
    if (value.empty() || is_of_a_service(name, value, environment)) continue;
    const bool is_ours = std::find(known.begin(), known.end(), name) != known.end();
    if (!is_ours && (!name.starts_with("BELLOWS_") || suggestion(name, known).empty())) continue;
    layer.push_back(
        {.source = Source::kEnvironment, .key = name, .value = value, .place = {}, .problem = {}});
  }
  return layer;
}

std::vector<std::string> variables_without_effect(const std::vector<Declaration>& declarations,
                                                  const Environment& environment) {
  // A Bellows that an app of another one starts has this one.
  constexpr std::string_view kOfApps = "BELLOWS_QUEUE_PROXY_ADMIN";
  const Layer used = environment_layer(declarations, environment);
  std::vector<std::string> names;
  for (const auto& [name, value] : environment) {
    if (!name.starts_with("BELLOWS_") || name == kOfApps || value.empty()) continue;
    if (is_of_a_service(name, value, environment)) continue;
    const bool is_used = std::ranges::find(used, name, &Entry::key) != used.end();
    if (!is_used) names.push_back(name);
  }
  return names;
}

}  // namespace bellows::config
