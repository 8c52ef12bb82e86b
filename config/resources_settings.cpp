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

namespace {

void declare_policy(Schema<ResourcesSettings>& resources) {
  resources.add_choice(
      &ResourcesSettings::policy,
      {{"default", ResourcesPolicy::kDefault},
       {"vpa", ResourcesPolicy::kVpa},
       {"spike", ResourcesPolicy::kSpike},
       {"hybrid", ResourcesPolicy::kHybrid}},
      {.name = "resources-policy",
       .help = "The policy of the recommender for this service; default: recommender-policy. A new "
               "one starts with the sizes and the history of the previous one."});
  resources.add_choice(
      &ResourcesSettings::controlled_resources,
      {{"cpu,memory", ControlledResources::kCpuAndMemory},
       {"cpu", ControlledResources::kCpu},
       {"memory", ControlledResources::kMemory}},
      {.name = "controlled-resources",
       .help = "Resources for which sizes are recommended. The other one has its first request."});
  resources.add_choice(&ResourcesSettings::controlled_values,
                       {{"requests-and-limits", ControlledValues::kRequestsAndLimits},
                        {"requests-only", ControlledValues::kRequestsOnly}},
                       {.name = "controlled-values",
                        .help = "requests-only: recommendations set no hard limit of the memory."});
}

void declare_allowed(Schema<ResourcesSettings>& resources) {
  const auto cpu = between(Millicores{1}, Millicores{1'000'000});
  const auto memory = between(mebibytes(1), mebibytes(16 * 1024 * 1024));
  resources.add(&ResourcesSettings::min_allowed_cpu, {.name = "min-allowed-cpu",
                                                      .bounds = cpu,
                                                      .help = "Minimum of the recommended CPU.",
                                                      .unset = "none but that of the program"});
  resources.add(&ResourcesSettings::min_allowed_memory,
                {.name = "min-allowed-memory",
                 .bounds = memory,
                 .help = "Minimum of the recommended memory.",
                 .unset = "none but that of the program"});
  resources.add(&ResourcesSettings::max_allowed_cpu,
                {.name = "max-allowed-cpu",
                 .bounds = cpu,
                 .help = "Maximum of the recommended CPU.",
                 .unset = "recommender-container-recommendation-max-allowed-cpu"});
  resources.add(&ResourcesSettings::max_allowed_memory,
                {.name = "max-allowed-memory",
                 .bounds = memory,
                 .help = "Maximum of the recommended memory, also of its hard limit.",
                 .unset = "recommender-container-recommendation-max-allowed-memory"});
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
}

}  // namespace

const Schema<ResourcesSettings>& resources_schema() {
  static const Schema<ResourcesSettings> schema = [] {
    Schema<ResourcesSettings> resources;
    resources.group("CPU and memory of a replica");
    resources.add_choice(
        &ResourcesSettings::mode,
        {{"off", ResourcesMode::kOff},
         {"advise", ResourcesMode::kAdvise},
         {"initial", ResourcesMode::kInitial},
         {"auto", ResourcesMode::kAuto}},
        {.name = "resources-mode",
         .aliases = {"resources.mode"},
         .help = "off: no measurement; advise: recommend and show sizes; initial: start replicas "
                 "with the recommended size; auto: resize running replicas too (docs/sizing.md)."});
    resources.add(&ResourcesSettings::cpu,
                  {.name = "cpu",
                   .bounds = between(Millicores{1}, Millicores{1'000'000}),
                   .help = "CPU request of a replica until there is a recommendation.",
                   .unset = "CPU is advice only"});
    resources.add(&ResourcesSettings::memory,
                  {.name = "memory",
                   .bounds = between(mebibytes(1), mebibytes(16 * 1024 * 1024)),
                   .help = "Memory request of a replica until there is a recommendation.",
                   .unset = "memory is advice only"});
    resources.add(&ResourcesSettings::cpu_limit,
                  {.name = "cpu-limit",
                   .bounds = between(Millicores{10}, Millicores{1'000'000}),
                   .help = "Maximum CPU of a replica, from its start on and in every "
                           "resources-mode. `bellows run` and `up` only; needs control groups.",
                   .unset = "no limit"});
    resources.add(&ResourcesSettings::memory_limit,
                  {.name = "memory-limit",
                   .bounds = between(mebibytes(4), mebibytes(16 * 1024 * 1024)),
                   .help = "Maximum memory of a replica, also in every resources-mode: beyond it "
                           "the kernel kills the app, which is restarted.",
                   .unset = "no limit"});
    declare_policy(resources);
    declare_allowed(resources);
    return resources;
  }();
  return schema;
}

}  // namespace bellows::config
