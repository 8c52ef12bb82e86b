// A cluster as lists describe it, and its transfer into a planner.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "slack/core/planner.hpp"

namespace bellows::slack {

/// Annotations of pods, Deployments, ReplicaSets, StatefulSets and Jobs.
inline constexpr std::string_view kMirrorAnnotation =
    "slack.bellows.dev/mirror";  ///< a count, or true
inline constexpr std::string_view kExemptAnnotation =
    "slack.bellows.dev/exempt";  ///< true or false

/// Label of the pods and templates that `slack plan -o` prints.
inline constexpr std::string_view kPlaceholderLabel = "slack.bellows.dev/placeholder";

struct PodEntry {
  std::string name{};  ///< "NAMESPACE/NAME"
  std::string node{};  ///< empty: pending
  Shape shape{};
};

/// Placeholders for an annotated controller, whether it has pods or not.
struct MirrorEntry {
  Shape shape{};
  std::int64_t count = 1;
};

struct Snapshot {
  std::vector<NodeSpec> nodes{};
  std::vector<PodEntry> pods{};
  std::vector<MirrorEntry> mirrors{};
  /// Problems of single objects. An error among them means that nothing is scaled.
  std::vector<Unmet> problems{};
};

/// Returns the count of a mirror annotation: "true" is 1. Returns nullopt if it is none of
/// kMirrorValues.
std::optional<std::int64_t> mirror_count(std::string_view value);
inline constexpr std::string_view kMirrorValues = "a count from 0 to 99999, true or false";
/// Returns nullopt if it is none of kExemptValues.
std::optional<bool> exempt_flag(std::string_view value);
inline constexpr std::string_view kExemptValues = "true or false";

/// Maximum for one node or pod, so that sums over 100,000 of them stay within 64 bits.
inline constexpr std::int64_t kMaxMemoryBytes = std::int64_t{1} << 46U;
inline constexpr std::int64_t kMaxMillicores = 1'000'000'000;
inline constexpr std::int64_t kMaxPods = 100'000;

/// Derives the types of the nodes: of each the smallest node, its largest daemon sets, the labels
/// that all of its nodes have. Nodes without capacity do not count, and those that boot only if the
/// type has no others. The price of a type is its size: one core costs as much as 8 GiB.
std::vector<NodeType> types_of(const Snapshot& snapshot);
/// Returns the price of a type if no other is known.
double price_of(const Resources& allocatable);

/// Adds everything to a planner without nodes. If `types` are empty, those of the nodes are used.
/// Problems of single objects are appended to `snapshot.problems`. kMalformed: a name occurs twice.
Result<void> load(Snapshot& snapshot, std::vector<NodeType> types, Planner& planner);

}  // namespace bellows::slack
