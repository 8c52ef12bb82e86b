// metrics.k8s.io PodMetrics (v1beta1): what the containers of one pod use.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/object_meta.hpp"

namespace bellows::kubernetes {

struct ContainerMetrics {
  std::string name;
  Millicores cpu;  ///< mean over some seconds that end at PodMetrics::measured
  Bytes memory;    ///< working set
  bool operator==(const ContainerMetrics&) const = default;
};

/// A container without one of the two amounts, and an amount that is negative or absurd, are errors
/// of the object.
struct PodMetrics {
  ObjectMeta meta;
  WallTime measured;
  std::vector<ContainerMetrics> containers;
  bool operator==(const PodMetrics&) const = default;

  static const FieldSet& fields();
  static Result<PodMetrics> from(const boost::json::object& pruned);
};

}  // namespace bellows::kubernetes
