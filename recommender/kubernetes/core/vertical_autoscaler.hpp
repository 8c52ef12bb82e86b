// autoscaling.k8s.io/v1 VerticalPodAutoscaler: its used part, and its status as a patch.
#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "kubernetes/core/autoscalers.hpp"
#include "kubernetes/core/condition.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/object_meta.hpp"
#include "kubernetes/core/resource.hpp"
#include "recommender/core/recommendation.hpp"
#include "recommender/core/workload_settings.hpp"

namespace bellows::recommender {

inline constexpr std::string_view kVerticalGroup = "autoscaling.k8s.io";
inline constexpr std::string_view kVerticalVersion = "autoscaling.k8s.io/v1";

/// Returns verticalpodautoscalers.autoscaling.k8s.io.
kubernetes::Resource vertical_autoscalers();

/// The sizes of one container in a status.
struct RecommendedContainer {
  ContainerName container;
  Sizes sizes;
  bool operator==(const RecommendedContainer&) const = default;
};

struct VerticalStatus {
  std::vector<RecommendedContainer> recommended;  ///< status.recommendation, sorted by container
  std::vector<kubernetes::Condition> conditions;  ///< sorted by type
};

/// A quantity that is none, in a policy or in the status, is an error of the object.
struct VerticalAutoscaler {
  kubernetes::ObjectMeta meta;
  std::optional<kubernetes::ScaleTargetRef> target;
  std::vector<std::string> recommenders;  ///< names; empty: the default recommender's
  std::string update_mode;                ///< empty: unset
  std::vector<ContainerPolicy> containers;
  VerticalStatus status;

  /// Returns true if the recommender `name` is named. `is_default`: also if nobody is named.
  bool is_for(std::string_view name, bool is_default) const;

  static const kubernetes::FieldSet& fields();
  static Result<VerticalAutoscaler> from(const boost::json::object& pruned);
};
using VerticalPtr = std::shared_ptr<const VerticalAutoscaler>;  // shared with the object store

/// Returns true if the status has to be written: another set of containers or resources, a number
/// that differs by more than 1 %, or a condition that differs in more than its time.
bool is_changed(const VerticalStatus& before, const VerticalStatus& after);

/// Returns a merge patch (RFC 7396) of the status. Without recommended containers that part of the
/// status stays as it is, unless `removes_recommendation`.
std::string status_patch(const VerticalStatus& status, bool removes_recommendation);

}  // namespace bellows::recommender
