#include "config/resources_settings.hpp"

#include "config/schema.hpp"

namespace bellows::config {

std::string_view to_string(ResourcesMode mode) {
  switch (mode) {
    case ResourcesMode::kOff:
      return "off";
    case ResourcesMode::kAdvise:
      return "advise";
    case ResourcesMode::kInitial:
      return "initial";
    case ResourcesMode::kAuto:
      return "auto";
  }
  return "off";
}

const Schema<ResourcesSettings>& resources_schema() {
  static const Schema<ResourcesSettings> schema = [] {
    auto resources = Schema<ResourcesSettings>::of();
    // Without a rule in CEL: that compares quantities from Kubernetes 1.29 on, and an older server
    // refuses a kind with a rule that it does not know.
    resources.add_rule({{"min-allowed-cpu", "max-allowed-cpu"},
                        [](const ResourcesSettings& s) {
                          return !s.min_allowed_cpu || !s.max_allowed_cpu ||
                                 *s.min_allowed_cpu <= *s.max_allowed_cpu;
                        },
                        "min-allowed-cpu at most max-allowed-cpu"});
    resources.add_rule({{"min-allowed-memory", "max-allowed-memory"},
                        [](const ResourcesSettings& s) {
                          return !s.min_allowed_memory || !s.max_allowed_memory ||
                                 *s.min_allowed_memory <= *s.max_allowed_memory;
                        },
                        "min-allowed-memory at most max-allowed-memory"});
    return resources;
  }();
  return schema;
}

}  // namespace bellows::config
