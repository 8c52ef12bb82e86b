#include "cluster/local/app_groups.hpp"

#include <algorithm>
#include <utility>

#include "base/sys/log.hpp"

namespace bellows::cluster {

bool is_measured(const config::RevisionSettings& settings) {
  return settings.resources.mode != config::ResourcesMode::kOff;
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

AppGroups app_groups_for(const std::vector<config::ServiceRevision>& revisions,
                         const std::function<Result<std::unique_ptr<CgroupTree>>()>& make) {
  const auto needs_groups = [](const config::ServiceRevision& revision) {
    return is_measured(*revision.settings) || !app_limits(revision.settings->resources).empty();
  };
  if (std::ranges::none_of(revisions, needs_groups)) return {nullptr, "resources-mode is off"};
  auto tree = make();
  if (tree) return {std::move(*tree), {}};
  const bool needs_size =
      std::ranges::any_of(revisions, [](const config::ServiceRevision& revision) {
        return !first_size(revision.settings->resources).empty();
      });
  std::string why = to_string(tree.error());
  if (needs_size) sys::log::warning("sizes are advice only", {{"because", why}});
  return {nullptr, std::move(why)};
}

}  // namespace bellows::cluster
