// Writes a plan as objects for `kubectl apply -f -`, or as sizes of node groups.
#pragma once

#include <string>

#include "slack/core/planner.hpp"

namespace bellows::slack {

struct ObjectOptions {
  std::string space = "default";  ///< namespace of the objects
  std::string pause_image = "registry.k8s.io/pause:3.10";
};

/// Returns a PodTemplate and a CapacityBuffer (autoscaling.x-k8s.io/v1beta1) for each shape: a
/// cluster autoscaler that supports them reserves that room for pods that never exist.
std::string capacity_buffers_yaml(const Planner& planner, const Plan& plan,
                                  const ObjectOptions& options);

/// Returns a PriorityClass and a Deployment of pause pods for each shape. Every real pod preempts
/// them; the cluster autoscaler adds nodes for them, because -10 is its default limit of expendable
/// pods.
std::string deployments_yaml(const Planner& planner, const Plan& plan,
                             const ObjectOptions& options);

/// Returns the current and the planned size of each node group, and the nodes that can be removed.
std::string node_groups_yaml(const Planner& planner, const Plan& plan);

}  // namespace bellows::slack
