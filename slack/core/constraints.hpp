// Requirements of a pod on a node and its neighbours: selectors, taints, anti-affinity. Source:
// Kubernetes API reference, core/v1 PodSpec (nodeSelector, affinity, tolerations).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace bellows::slack {

/// Sorted by key; keys are unique.
using Labels = std::vector<std::pair<std::string, std::string>>;

/// Returns nullopt if there is no such label.
std::optional<std::string_view> find_label(const Labels& labels, std::string_view key);
/// Sorts labels; of a key that occurs twice the last value is kept.
Labels sorted_labels(Labels labels);

/// One comparison of a label.
struct Requirement {
  enum class Operator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

  std::string key{};
  Operator op = Operator::kIn;
  std::vector<std::string> values{};  ///< kGt and kLt have one whole number

  bool operator==(const Requirement&) const = default;
};

/// Returns the operator with that name in the API: "In", "NotIn", ...; nullopt if there is none.
std::optional<Requirement::Operator> requirement_operator(std::string_view name);

/// All of the requirements must hold.
using Selector = std::vector<Requirement>;

bool matches(const Requirement& requirement, const Labels& labels);
bool matches(const Selector& selector, const Labels& labels);

struct Taint {
  std::string key{};
  std::string value{};
  std::string
      effect{};  ///< NoSchedule, NoExecute or PreferNoSchedule; the last one excludes no pod

  auto operator<=>(const Taint&) const = default;
};

struct Toleration {
  std::string key{};  ///< empty with is_exists: every taint
  std::string value{};
  std::string effect{};  ///< empty: every effect
  bool is_exists = false;

  auto operator<=>(const Toleration&) const = default;
};

/// Returns true if each taint that excludes pods is tolerated.
bool tolerates(const std::vector<Toleration>& tolerations, const std::vector<Taint>& taints);

/// Required pod anti-affinity: in one domain of the topology there are no two pods of which one has
/// the term and the other matches it. It holds in both directions, as in the scheduler.
struct AntiAffinity {
  Selector selector{};
  std::vector<std::string> namespaces{};  ///< sorted
  std::string topology_key{};             ///< a node without this label belongs to no domain

  bool operator==(const AntiAffinity&) const = default;
};

/// Label whose domains are the single nodes.
inline constexpr std::string_view kHostname = "kubernetes.io/hostname";

/// Returns a line that is unique for the values, for maps and messages.
std::string text_of(const Labels& labels);
std::string text_of(const Selector& selector);
std::string text_of(const std::vector<Taint>& taints);
std::string text_of(const std::vector<Toleration>& tolerations);
std::string text_of(const AntiAffinity& term);

}  // namespace bellows::slack
