#include "config/layer.hpp"

#include <algorithm>
#include <utility>

#include "config/suggestion.hpp"

namespace bellows::config {

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
      return "--" + entry.key;
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
  for (const Declaration& declaration : declarations) {
    known.push_back(declaration.variable);
    for (const std::string& name : declaration.deprecated) known.push_back(variable_name(name));
  }
  Layer layer;
  for (const auto& [name, value] : environment) {
    if (value.empty()) continue;
    const bool is_ours = std::find(known.begin(), known.end(), name) != known.end();
    if (!is_ours && (!name.starts_with("BELLOWS_") || suggestion(name, known).empty())) continue;
    layer.push_back(
        {.source = Source::kEnvironment, .key = name, .value = value, .place = {}, .problem = {}});
  }
  return layer;
}

}  // namespace bellows::config
