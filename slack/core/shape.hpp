// Shapes: pods with the same requirements on a node are one shape, so each question about them is
// computed once. (Equivalence groups of cluster-autoscaler; S1 of the resource slack design.)
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "slack/core/constraints.hpp"
#include "slack/core/resources.hpp"

namespace bellows::slack {

using ShapeId = std::uint32_t;
using TermId = std::uint32_t;

/// All properties of a pod that decide where it may run. `requests.pods` is 1.
struct Shape {
  std::string name{};   ///< for people: the controller ("default/Deployment/web"), or "standard"
  std::string space{};  ///< namespace of the pod
  Labels labels{};
  Resources requests{};
  /// A node matches if one of the selectors does; none: every node. nodeSelector is part of each.
  std::vector<Selector> node_selectors{};
  std::vector<Toleration> tolerations{};
  std::vector<AntiAffinity> anti_affinity{};
  bool is_daemon = false;  ///< of a DaemonSet: belongs to its node, is never placed or moved
  bool can_move = true;    ///< a controller replaces it elsewhere when its node is removed
  /// Excluded from the biggest pods of version 2 (R6: no hot standby for a big database).
  bool is_exempt = false;
  /// Number of placeholders of this shape, by annotation (S7).
  std::int64_t mirrors = 0;
  /// A constraint that is not checked here ("required pod affinity"); empty: none. Such a pod keeps
  /// its room, but it has no guarantee and its node stays.
  std::string unchecked{};
};

/// All shapes and the terms of anti-affinity, by id. Ids are dense and never reused. Owner: a
/// Cluster. Thread: that of its owner.
class Shapes {
 public:
  /// Returns the id of an equal shape, or a new one.
  ShapeId intern(Shape shape);

  std::size_t size() const { return shapes_.size(); }
  const Shape& operator[](ShapeId id) const { return shapes_[id].shape; }

  /// Returns the terms of the shape itself; matched() returns terms whose selector matches its
  /// labels.
  const std::vector<TermId>& carried(ShapeId id) const { return shapes_[id].carried; }
  const std::vector<TermId>& matched(ShapeId id) const { return shapes_[id].matched; }
  std::size_t terms() const { return terms_.size(); }
  const AntiAffinity& term(TermId id) const { return terms_[id]; }

  /// Returns the labels of nodes that some shape or term uses. The list only grows.
  const std::vector<std::string>& relevant_keys() const { return relevant_keys_; }

 private:
  struct Entry {
    Shape shape{};
    std::vector<TermId> carried{};
    std::vector<TermId> matched{};
  };

  TermId intern_term(const AntiAffinity& term);
  void add_relevant(std::string_view key);

  std::vector<Entry> shapes_;
  std::vector<AntiAffinity> terms_;
  std::vector<std::string> relevant_keys_;
  std::unordered_map<std::string, ShapeId> by_text_;
  std::unordered_map<std::string, TermId> term_by_text_;
};

/// Returns true if the term applies to pods of `shape`.
bool applies_to(const AntiAffinity& term, const Shape& shape);

/// Returns true if a node with these labels and taints may run the shape.
bool may_run_on(const Shape& shape, const Labels& labels, const std::vector<Taint>& taints);

}  // namespace bellows::slack
