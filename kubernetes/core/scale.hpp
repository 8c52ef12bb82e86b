// autoscaling/v1 Scale: the subresource /scale of anything that has replicas.
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/object_meta.hpp"
#include "kubernetes/core/selector.hpp"

namespace bellows::kubernetes {

struct Scale {
  ObjectMeta meta;               ///< name, uid and version of the scaled object
  PodCount replicas = 0;         ///< desired; a missing one is 0
  PodCount status_replicas = 0;  ///< existing
  Selector selector;             ///< of its pods; empty: unset

  static const FieldSet& fields();
  static Result<Scale> from(const boost::json::object& pruned);
};

}  // namespace bellows::kubernetes
