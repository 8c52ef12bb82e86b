// The loop: it takes changes, places placeholders, and selects nodes to add and to remove.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "slack/core/cluster.hpp"
#include "slack/core/placeholders.hpp"
#include "slack/core/placement.hpp"
#include "slack/core/plan.hpp"
#include "slack/core/settings.hpp"

namespace bellows::slack {

/// Requested placeholders.
struct Want {
  std::string name{};  ///< of the shape in plans
  std::string why{};
  ShapeId shape = 0;
  std::int64_t count = 0;
  /// Counts towards the extra capacity of the rate, and its size limits the standard one, because
  /// room for pods that will really arrive replaces room for an average.
  bool is_part_of_rate = false;
  bool operator==(const Want&) const = default;
};

/// A placeholder as it is saved between two runs of a program.
struct SavedPlaceholder {
  std::string shape{};  ///< the name in plans
  std::string node{};
};

/// State from which a later planner continues.
struct SavedState {
  Average average{};  ///< average from which the standard size was derived
  std::vector<std::string> types{};
  std::vector<SavedPlaceholder> placeholders{};  ///< placed ones, the oldest first
};

/// Reserves room for future pods. Changes are made in cluster(), then loop() responds to them; a
/// loop without a change does nothing. Equal states and changes give equal plans, in any order of
/// the input. Owner: the program. Thread: one. Pure.
class Planner {
 public:
  explicit Planner(const Settings& settings);

  Cluster& cluster() { return cluster_; }
  const Cluster& cluster() const { return cluster_; }
  const Placeholders& placeholders() const { return placeholders_; }
  const std::vector<NodeType>& types() const { return types_; }
  const Settings& settings() const { return settings_; }

  /// Sets the types of nodes that can be added. If unset, no node is added.
  void set_types(std::vector<NodeType> types);
  /// Sets placeholders beyond those of the rate: mirrors of Deployments, future replicas. It
  /// replaces the previous ones.
  void set_wanted(std::vector<Want> wanted);
  const std::vector<Want>& wanted() const { return wanted_; }
  void set_rate(Rate rate);

  /// Adds an arrived node. If it was ordered, the oldest ordered node of its type becomes it, with
  /// everything that waits there.
  Result<void> node_arrived(const NodeSpec& spec);
  /// Adds a node that boots: an ordered node of `type` with its own name.
  void node_boots(const NodeType& type, const std::string& name);
  /// Cancels `count` failed orders of that type: what waits for them is placed again.
  void order_failed(std::string_view type, std::int64_t count);

  const Plan& loop();

  SavedState save() const;
  /// Restores a saved state. Call it before the first loop. Placeholders whose node has no room any
  /// more become pending.
  void restore(const SavedState& saved);

 private:
  friend class ScaleDown;

  void recheck_assumed(const std::vector<NodeId>& touched);
  void place_pods(Where where);
  /// Returns the pending pods of the shape, to be taken from the end in the order of their names.
  std::vector<PodId> pending_of(ShapeId shape) const;
  /// Returns what assumes that the last of `pods` are on a node. `pods` outlives it.
  Put assume_last_of(std::vector<PodId>& pods);
  void push_out();
  bool is_at_peace(NodeId node) const;
  void push_out_of(NodeId node);
  std::vector<Want> wants();
  void add_standard(std::vector<Want>& wants);
  void add_biggest(std::vector<Want>& wants, std::vector<Resources>& taken);
  void add_one_biggest(const std::vector<ShapeId>& biggest, std::vector<Want>& wants,
                       std::vector<Resources>& taken);
  void add_mirrors(std::vector<Want>& wants) const;
  std::vector<ShapeId> biggest_pods() const;
  void keep_average();
  void apply(std::vector<Want> wants);
  void reshape_standard(const std::vector<Want>& wants);
  void match_count(const Want& want);
  void remove_excess(ShapeId shape, std::int64_t count);
  void place_placeholders(Where where);
  void order_nodes();
  void order_for_pods(ShapeId shape);
  void order_for_placeholders(ShapeId shape);
  std::int64_t order_for(ShapeId shape, Holder holder, std::int64_t count, const Put& put);
  const NodeType* cheapest_for(ShapeId shape, std::int64_t count) const;
  void place_restored();
  void describe();
  void describe_shapes();
  void describe_unmet();
  std::string name_of(ShapeId shape) const;

  Settings settings_;
  Cluster cluster_;
  Placeholders placeholders_{cluster_};
  std::vector<NodeType> types_;
  std::vector<Want> wanted_;  // set by the caller
  std::vector<Want> wants_;   // of the last loop
  std::optional<Average> average_;
  std::vector<std::string> average_types_;
  Resources base_;
  Resources extra_;
  std::optional<ShapeId> standard_;
  std::deque<NodeId> upcoming_;  // the oldest first
  std::map<std::string, std::int64_t> ordered_now_;
  std::vector<Unmet> notes_;  // from the sizing
  std::vector<SavedPlaceholder> restored_;
  Plan plan_;
  std::uint64_t ordered_ = 0;  // number for the names of ordered nodes
  std::uint64_t seen_version_ = 0;
  std::uint64_t seen_rivalry_ = 0;
  bool is_changed_ = true;
};

}  // namespace bellows::slack
