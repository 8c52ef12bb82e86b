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

/// Our recommendation for an object of another recommender: JSON as in its status.
inline constexpr std::string_view kComparisonAnnotation = "bellows.dev/recommendation";

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
  /// The content of kComparisonAnnotation, sorted by container; empty if that is not valid.
  std::vector<RecommendedContainer> compared;

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

/// Returns a merge patch of kComparisonAnnotation; without containers it is removed.
std::string comparison_patch(const std::vector<RecommendedContainer>& recommended);

}  // namespace bellows::recommender
