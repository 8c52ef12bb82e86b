// apps/v1 Deployment, StatefulSet and ReplicaSet in one shape: objects with replicas made from a
// template.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kubernetes/core/condition.hpp"
#include "kubernetes/core/container.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/object_meta.hpp"
#include "kubernetes/core/selector.hpp"

namespace bellows::kubernetes {

struct ScaleTarget {
  ObjectMeta meta;
  PodCount replicas = 1;   ///< desired; the API's default is 1
  bool is_paused = false;  ///< the rollout of a Deployment is paused
  Selector selector;       ///< empty: a custom resource without it, or with it elsewhere
  StringMap template_labels;
  StringMap template_annotations;
  std::vector<Container> containers;  ///< of the template, with its sidecars

  PodCount status_replicas = 0;
  PodCount ready_replicas = 0;
  PodCount updated_replicas = 0;
  /// Less than meta.generation: the status is of an older spec.
  std::int64_t observed_generation = 0;
  std::vector<Condition> conditions;  ///< Progressing, Available, ReplicaFailure

  const Condition* condition(std::string_view type) const {
    return find_condition(conditions, type);
  }
  bool operator==(const ScaleTarget&) const = default;

  static const FieldSet& fields();
  static Result<ScaleTarget> from(const boost::json::object& pruned);
};

}  // namespace bellows::kubernetes
