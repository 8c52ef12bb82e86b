// coordination.k8s.io/v1 Lease: identifies the leader.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/object_meta.hpp"

namespace bellows::kubernetes {

struct Lease {
  ObjectMeta meta;
  std::string holder;  ///< empty: no holder
  std::int32_t duration_seconds = 0;
  std::optional<WallTime> acquired;
  std::optional<WallTime> renewed;  ///< on the holder's clock
  std::int32_t transitions = 0;
  bool operator==(const Lease&) const = default;

  static const FieldSet& fields();
  static Result<Lease> from(const boost::json::object& pruned);
};

/// Returns the body of a POST, or of a PUT if meta.resource_version is set.
std::string lease_json(const Lease& lease);

}  // namespace bellows::kubernetes
