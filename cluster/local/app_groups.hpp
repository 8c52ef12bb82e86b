// The control groups for the apps of all services, if this machine allows them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/local/cgroup_tree.hpp"
#include "cluster/resources.hpp"
#include "config/shared_service.hpp"

namespace bellows::cluster {

/// Returns true if the usage and the events of its apps are reported to the ResourceListener.
bool is_measured(const config::RevisionSettings& settings);

/// Returns the size of the first replicas of a service that is sized from the start; otherwise
/// empty.
ReplicaSize first_size(const config::ResourcesSettings& resources);

/// Returns the hard limits of the apps of a service.
AppLimits app_limits(const config::ResourcesSettings& resources);

/// The control groups in which apps are measured and sized, or the reason why there are none.
struct AppGroups {
  std::unique_ptr<CgroupTree> tree;
  std::string why_none;
};

/// Calls `make` if one of the revisions is measured or limited. Without control groups, /proc
/// measures apps and sizes are advice only; a warning is logged if a service should have a size.
AppGroups app_groups_for(const std::vector<config::ServiceRevision>& revisions,
                         const std::function<Result<std::unique_ptr<CgroupTree>>()>& make);

}  // namespace bellows::cluster
