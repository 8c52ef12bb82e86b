// Other owners of a number of replicas: autoscaling HorizontalPodAutoscaler (v2, v2beta2 and v1)
// and KEDA's ScaledObject.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kubernetes/core/condition.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/object_meta.hpp"

namespace bellows::kubernetes {

/// The scaled object, in the namespace of the object that refers to it.
struct ScaleTargetRef {
  std::string api_version;
  std::string kind;
  std::string name;
  bool operator==(const ScaleTargetRef&) const = default;
};

struct HorizontalPodAutoscaler {
  ObjectMeta meta;
  ScaleTargetRef target;
  PodCount min_replicas = 1;  ///< the API's default is 1
  PodCount max_replicas = 0;
  std::vector<Condition> conditions;  ///< empty in v1, which has them in an annotation
  bool operator==(const HorizontalPodAutoscaler&) const = default;

  static const FieldSet& fields();
  static Result<HorizontalPodAutoscaler> from(const boost::json::object& pruned);
};

/// A ScaledObject of keda.sh/v1alpha1.
struct ScaledObject {
  ObjectMeta meta;
  ScaleTargetRef target;  ///< default kind: Deployment of apps/v1
  std::optional<PodCount> min_replicas;
  std::optional<PodCount> max_replicas;
  bool is_paused = false;  ///< paused by an annotation autoscaling.keda.sh/paused...
  bool operator==(const ScaledObject&) const = default;

  static const FieldSet& fields();
  static Result<ScaledObject> from(const boost::json::object& pruned);
};

}  // namespace bellows::kubernetes
