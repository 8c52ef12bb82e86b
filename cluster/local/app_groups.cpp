#include "cluster/local/app_groups.hpp"

#include <algorithm>
#include <utility>

#include "base/sys/log.hpp"

namespace bellows::cluster {

bool is_measured(const config::Service& service) {
  return service.settings.resources.mode != config::ResourcesMode::kOff;
}

ReplicaSize first_size(const config::ResourcesSettings& resources) {
  const bool is_applied = resources.mode == config::ResourcesMode::kInitial ||
                          resources.mode == config::ResourcesMode::kAuto;
  if (!is_applied) return {};
  return {resources.cpu, resources.memory, std::nullopt};
}

AppLimits app_limits(const config::ResourcesSettings& resources) {
  return {.cpu = resources.cpu_limit, .memory = resources.memory_limit};
}

AppGroups app_groups_for(const std::vector<config::Service>& services,
                         const std::function<Result<std::unique_ptr<CgroupTree>>()>& make) {
  const auto needs_groups = [](const config::Service& service) {
    return is_measured(service) || !app_limits(service.settings.resources).empty();
  };
  if (std::ranges::none_of(services, needs_groups)) return {nullptr, "resources-mode is off"};
  auto tree = make();
  if (tree) return {std::move(*tree), {}};
  const bool needs_size = std::ranges::any_of(services, [](const config::Service& service) {
    return !first_size(service.settings.resources).empty();
  });
  std::string why = to_string(tree.error());
  if (needs_size) sys::log::warning("sizes are advice only", {{"because", why}});
  return {nullptr, std::move(why)};
}

}  // namespace bellows::cluster
