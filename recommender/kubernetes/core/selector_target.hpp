// What a VerticalPodAutoscaler may name as its target, if the kind has a selector in its spec.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "kubernetes/core/autoscalers.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/object_meta.hpp"
#include "kubernetes/core/selector.hpp"

namespace bellows::recommender {

/// A Deployment, StatefulSet, ReplicaSet, DaemonSet, Job, CronJob or ReplicationController. The
/// selector of a CronJob are the labels of its pods. nullopt: it has none yet.
struct SelectorTarget {
  kubernetes::ObjectMeta meta;
  std::optional<kubernetes::Selector> selector;

  static const kubernetes::FieldSet& fields();
  static Result<SelectorTarget> from(const boost::json::object& pruned);
};

/// Returns true for these kinds; the pods of others are asked of their subresource /scale.
bool has_selector(const kubernetes::ScaleTargetRef& target);

/// The pods that an object of VPA is about.
struct TargetSelector {
  std::optional<kubernetes::Selector> selector = {};  ///< nullopt: none, for the reason below
  /// The message of ConfigUnsupported, in VPA's words where it has one.
  std::string unsupported = {};
  bool operator==(const TargetSelector&) const = default;
};

/// Returns the selector of a target of such a kind. `name`: the target; `found` is null if it does
/// not exist.
TargetSelector selector_of(const SelectorTarget* found, std::string_view ns,
                           const kubernetes::ScaleTargetRef& name);

/// Makes the result for a target whose selector cannot be read.
TargetSelector unreadable(const std::string& reason);

}  // namespace bellows::recommender
