// Selects nodes to remove, whose pods and placeholders fit elsewhere.
#pragma once

#include <string>
#include <vector>

#include "slack/core/planner.hpp"

namespace bellows::slack {

/// Simulates removals one after the other and undoes all of them. Placeholders are movable pods: a
/// node is removed only if all of its own find another place, so the extra capacity stays (R3).
/// Owner: a function call of the planner.
class ScaleDown {
 public:
  explicit ScaleDown(Planner& planner)
      : planner_(planner), cluster_(planner.cluster_), placeholders_(planner.placeholders_) {}

  /// Returns the names of nodes that can be removed together, in the order of their utilisation.
  std::vector<std::string> removable();

 private:
  struct PodMove {
    PodId pod;
    NodeId from;
  };
  struct PlaceholderMove {
    PlaceholderId placeholder;
    NodeId from;
  };

  std::vector<NodeId> candidates() const;
  bool may_go(const Node& node) const;
  bool empty_out(NodeId node);
  bool move_pods(NodeId node);
  bool move_placeholders(NodeId node);
  void take_back(std::size_t pods, std::size_t placeholders);

  Planner& planner_;
  Cluster& cluster_;
  Placeholders& placeholders_;
  std::vector<PodMove> pods_;
  std::vector<PlaceholderMove> moved_;
};

}  // namespace bellows::slack
