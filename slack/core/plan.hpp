// The result of a loop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "slack/core/resources.hpp"
#include "slack/core/work.hpp"

namespace bellows::slack {

/// An unmet request or a problem. It names the object, the field and the value.
struct Unmet {
  std::string object{};  ///< "pod default/big", "placeholder standard", "node n1"
  std::string field{};   ///< "memory", "node selector", ...
  std::string value{};
  std::string reason{};    ///< text with the valid values
  std::int64_t count = 1;  ///< number of pods or placeholders concerned
  /// The input is wrong: the plan scales nothing.
  bool is_error = false;

  bool operator==(const Unmet&) const = default;
};

/// The placeholders of one shape.
struct ShapePlan {
  std::string shape{};
  std::string why{};  ///< purpose: "extra capacity", "mirror", ...
  Resources requests{};
  std::int64_t count = 0;
  std::int64_t placed = 0;   ///< on ready nodes: k pods of this shape find room now (E9)
  std::int64_t pending = 0;  ///< on ordered nodes, or on none
  std::int64_t moved = 0;    ///< moved to another node

  bool operator==(const ShapePlan&) const = default;
};

struct ScaleUp {
  std::string type{};
  std::int64_t nodes = 0;

  bool operator==(const ScaleUp&) const = default;
};

struct Plan {
  std::vector<ShapePlan> placeholders{};
  Resources desired{};                    ///< extra capacity by the rate
  Resources free_for_placeholders{};      ///< free on ready nodes besides pods
  Resources held{};                       ///< by placeholders on ready nodes
  std::vector<ScaleUp> ordered_now{};     ///< by this loop, by type
  std::vector<std::string> scale_down{};  ///< nodes that can be removed together
  std::vector<Unmet> unmet{};
  Work work{};

  std::int64_t moved() const {
    std::int64_t sum = 0;
    for (const ShapePlan& one : placeholders) sum += one.moved;
    return sum;
  }
};

}  // namespace bellows::slack
