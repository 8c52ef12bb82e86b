// A cluster as lists say it is, and how a planner takes it in.
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

/// The label of the pods and templates that `slack plan -o` prints.
inline constexpr std::string_view kPlaceholderLabel = "slack.bellows.dev/placeholder";

struct PodEntry {
  std::string name{};  ///< "NAMESPACE/NAME"
  std::string node{};  ///< empty: pending
  Shape shape{};
};

/// Placeholders that an annotated controller asks for, whether it has pods or not.
struct MirrorEntry {
  Shape shape{};
  std::int64_t count = 1;
};

struct Snapshot {
  std::vector<NodeSpec> nodes{};
  std::vector<PodEntry> pods{};
  std::vector<MirrorEntry> mirrors{};
  /// What is wrong with single objects. An error among them means that nothing is to be scaled.
  std::vector<Unmet> problems{};
};

/// The count of a mirror annotation: "true" is 1. Nothing if it is none of kMirrorValues.
std::optional<std::int64_t> mirror_count(std::string_view value);
inline constexpr std::string_view kMirrorValues = "a count from 0 to 99999, true or false";
/// Nothing if it is none of kExemptValues.
std::optional<bool> exempt_flag(std::string_view value);
inline constexpr std::string_view kExemptValues = "true or false";

/// The most that one node or pod may have: sums over 100,000 of them stay within 64 bits.
inline constexpr std::int64_t kMaxMemoryBytes = std::int64_t{1} << 46U;
inline constexpr std::int64_t kMaxMillicores = 1'000'000'000;
inline constexpr std::int64_t kMaxPods = 100'000;

/// The types of the nodes: of each the smallest node, its largest daemon sets, the labels that all
/// of its nodes have. The price of one is its size: one core costs as much as 8 GiB.
std::vector<NodeType> types_of(const Snapshot& snapshot);
/// The price that a type has if no other is known.
double price_of(const Resources& allocatable);

/// Puts everything into a planner without nodes. `types` empty: those of the nodes. Problems of
/// single objects are appended to `snapshot.problems`. kMalformed: a name occurs twice.
Result<void> load(Snapshot& snapshot, std::vector<NodeType> types, Planner& planner);

}  // namespace bellows::slack
