// Computes size and number of placeholders in whole numbers, without rounding noise. Source: the
// resource slack design, "How placeholder pods are created", with the corrections of docs/slack.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "slack/core/node.hpp"
#include "slack/core/resources.hpp"

namespace bellows::slack {

/// The amount of which the rate is a part.
enum class Base : std::uint8_t { kCapacity, kRequested };

/// Division of the extra capacity.
enum class Sizing : std::uint8_t {
  kAverage,     ///< version 1: equal parts of an average node
  kTwoBiggest,  ///< version 2: room for the pods with most CPU and most memory, the rest as version
                ///< 1
  kOneBiggest,  ///< version 2, more complete: one pod with most CPU and most memory
};

/// The rate as a whole number of millionths, so that 0.1 of 40 cores is 4 cores.
struct Rate {
  std::int64_t millionths = 0;
  bool operator==(const Rate&) const = default;
};
inline constexpr std::int64_t kMillion = 1'000'000;

/// Returns `rate` of `base`, rounded up.
Resources extra_capacity(Rate rate, const Resources& base);

/// The average node from which sizes are derived: total / nodes.
struct Average {
  Resources total{};
  std::int64_t nodes = 0;
  bool operator==(const Average&) const = default;
};

/// Returns true if either average differs from the kept one by more than a tenth of that. Smaller
/// changes keep the size, so that one more node does not move every placeholder.
bool is_outgrown(const Average& kept, const Average& now);

/// The standard placeholder.
struct Standard {
  Resources size{};        ///< a part of the average node, limited to the types
  std::int64_t count = 0;  ///< for the whole extra capacity
  bool operator==(const Standard&) const = default;
};

struct StandardInput {
  Average average{};
  std::int64_t granularity = 5;  ///< parts of an average node
  Rate rate{};
  Resources base{};   ///< amount of which the rate is a part
  Resources taken{};  ///< extra capacity used by the big pods of version 2
  /// Room of an empty node of each type; a placeholder fits one of them (S3).
  std::span<const NodeType> types{};
  /// Largest requests of real pods; a placeholder exceeds neither (S6). Zero: no limit.
  Resources biggest{};
};

Standard standard_placeholder(const StandardInput& input);

/// Returns the cheapest type on which every one of the pods fits when the node is empty; nullptr if
/// there is none. Of equal prices it is the first by name.
const NodeType* cheapest_for_all(std::span<const NodeType> types, std::span<const Resources> pods);

}  // namespace bellows::slack
