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
  using Settings = ResourcesSettings;
  static const Schema<Settings> schema = [] {
    Schema<Settings> resources;
    resources.group("CPU and memory of a replica");
    resources.add_choice(
        &Settings::mode,
        {{"off", ResourcesMode::kOff},
         {"advise", ResourcesMode::kAdvise},
         {"initial", ResourcesMode::kInitial},
         {"auto", ResourcesMode::kAuto}},
        {.name = "resources-mode",
         .aliases = {"resources.mode"},
         .help = "off: no measurement; advise: recommend and show sizes; initial: start replicas "
                 "with the recommended size; auto: resize running replicas too (docs/sizing.md)."});
    resources.add(&Settings::cpu,
                  {.name = "cpu",
                   .bounds = between(Millicores{1}, Millicores{1'000'000}),
                   .help = "CPU request of a replica until there is a recommendation.",
                   .unset = "CPU is advice only"});
    resources.add(&Settings::memory,
                  {.name = "memory",
                   .bounds = between(mebibytes(1), mebibytes(16 * 1024 * 1024)),
                   .help = "Memory request of a replica until there is a recommendation.",
                   .unset = "memory is advice only"});
    resources.add(&Settings::cpu_limit,
                  {.name = "cpu-limit",
                   .bounds = between(Millicores{10}, Millicores{1'000'000}),
                   .help = "The most CPU that a replica gets, from its start on and in every "
                           "resources-mode. `bellows run` and `up` only; needs control groups.",
                   .unset = "no limit"});
    resources.add(&Settings::memory_limit,
                  {.name = "memory-limit",
                   .bounds = between(mebibytes(4), mebibytes(16 * 1024 * 1024)),
                   .help = "The most memory that a replica gets, likewise: beyond it the kernel "
                           "kills the app, which is restarted.",
                   .unset = "no limit"});
    return resources;
  }();
  return schema;
}

}  // namespace bellows::config
