// The rules of a loop once more, slow and obvious: no index, no group, no sum is kept; every
// question is answered by looking at all pods and all nodes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "slack/core/node.hpp"
#include "slack/core/plan.hpp"
#include "slack/core/settings.hpp"

namespace bellows::slack::reference {

struct Node {
  NodeSpec spec;
  bool is_upcoming = false;
};

struct Pod {
  std::string name;
  std::size_t shape = 0;
  std::string node;  ///< empty: pending
  bool is_assumed = false;
};

struct Placeholder {
  std::size_t shape = 0;
  std::string node;  ///< empty: pending
};

struct Wanted {
  std::size_t shape = 0;
  std::int64_t count = 0;
};

/// Shapes are indexes into `shapes`; the standard placeholder is added there when its size is
/// known.
class World {
 public:
  Settings settings;
  std::vector<NodeType> types;
  std::vector<Shape> shapes;
  std::vector<Wanted> wanted;
  std::map<std::string, Node> nodes;
  std::map<std::string, Pod> pods;
  std::map<int, Placeholder> placeholders;  ///< by age

  void loop();
  void remove_node(const std::string& name);
  void arrive(const NodeSpec& spec);

  std::vector<std::string> removable;
  /// How many pods of the shape fit now, one after the other.
  std::int64_t fits_now(std::size_t shape) const;

 private:
  friend struct Search;
  Resources used(const std::string& node) const;
  Resources held(const std::string& node) const;
  Resources daemons(const std::string& node) const;
  bool is_counted(const Node& node) const;
  Resources capacity() const;
  std::int64_t counted() const;
  bool is_together(const AntiAffinity& term, const std::string& a, const std::string& b) const;
  bool has_rival(std::size_t shape, const std::string& node, bool with_held) const;
  bool may_run(std::size_t shape, const std::string& node) const;
  std::optional<std::string> tightest(std::size_t shape, bool for_pod, bool over, bool upcoming,
                                      const std::vector<std::string>& closed = {}) const;
  bool is_larger(std::size_t a, std::size_t b) const;
  double utilisation(const std::string& node) const;
  void forget_assumptions();
  void push_out();
  void place_pods(bool upcoming);
  void want();
  void match(std::size_t shape, std::int64_t count, std::int64_t allowed);
  void place_placeholders(bool upcoming);
  void order();
  bool order_one(std::size_t shape, bool for_pod, std::int64_t count, std::string& node);
  void scale_down();
  bool empty_out(const std::string& node, const std::vector<std::string>& closed);
  std::vector<std::size_t> waiting_pods() const;
  std::vector<std::size_t> held_shapes() const;

  std::vector<std::string> ordered_;
  int next_order_ = 1;
  int next_placeholder_ = 1;
  Average average_;
  std::vector<std::string> average_types_;
  std::optional<std::size_t> standard_;
};

}  // namespace bellows::slack::reference
