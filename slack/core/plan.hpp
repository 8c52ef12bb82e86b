// What a loop decided.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "slack/core/resources.hpp"
#include "slack/core/work.hpp"

namespace bellows::slack {

/// Something that is not as it should be. It names the object, the field and the value.
struct Unmet {
  std::string object{};  ///< "pod default/big", "placeholder standard", "node n1"
  std::string field{};   ///< "memory", "node selector", ...
  std::string value{};
  std::string reason{};    ///< in words, what would be right included
  std::int64_t count = 1;  ///< pods or placeholders that it concerns
  /// The input is wrong: the plan scales nothing.
  bool is_error = false;

  bool operator==(const Unmet&) const = default;
};

/// The placeholders of one shape.
struct ShapePlan {
  std::string shape{};
  std::string why{};  ///< what they are for: "extra capacity", "mirror", ...
  Resources requests{};
  std::int64_t count = 0;
  std::int64_t placed = 0;   ///< on ready nodes: k pods of this shape find room now (E9)
  std::int64_t pending = 0;  ///< on ordered nodes, or nowhere
  std::int64_t moved = 0;    ///< on another node than before

  bool operator==(const ShapePlan&) const = default;
};

struct ScaleUp {
  std::string type{};
  std::int64_t nodes = 0;  ///< ordered, and not there yet

  bool operator==(const ScaleUp&) const = default;
};

struct Plan {
  std::vector<ShapePlan> placeholders{};
  Resources desired{};                    ///< the extra capacity that the rate asks for
  Resources free_for_placeholders{};      ///< what pods leave free on ready nodes
  Resources held{};                       ///< by placeholders on ready nodes
  std::vector<ScaleUp> scale_up{};        ///< by type; all nodes that are ordered
  std::vector<ScaleUp> ordered_now{};     ///< the part that this loop has added
  std::vector<std::string> scale_down{};  ///< nodes that can go, all of them together
  std::vector<Unmet> unmet{};
  Work work{};

  std::int64_t moved() const {
    std::int64_t sum = 0;
    for (const ShapePlan& one : placeholders) sum += one.moved;
    return sum;
  }
};

}  // namespace bellows::slack
