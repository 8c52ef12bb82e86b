// The control groups of the apps of all services, as far as this machine has them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/local/cgroup_tree.hpp"
#include "cluster/resources.hpp"
#include "config/service.hpp"

namespace bellows::cluster {

/// Whether the apps of a service are told to a ResourceListener.
bool is_measured(const config::Service& service);

/// The first request of a service that is sized from the start; else empty.
ReplicaSize first_size(const config::ResourcesSettings& resources);

/// Where apps are measured and sized, or why they are not.
struct AppGroups {
  std::unique_ptr<CgroupTree> tree;
  std::string why_none;
};

/// Asks `make` for a tree if one of the services is measured. Without one apps are measured by
/// /proc and sizes are advice, which is logged when a service was to have a size.
AppGroups app_groups_for(const std::vector<config::Service>& services,
                         const std::function<Result<std::unique_ptr<CgroupTree>>()>& make);

}  // namespace bellows::cluster
