// An object of any kind of which only the metadata counts.
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/object_meta.hpp"

namespace bellows::kubernetes {

struct BareObject {
  ObjectMeta meta;
  bool operator==(const BareObject&) const = default;

  static const FieldSet& fields();
  static Result<BareObject> from(const boost::json::object& pruned);
};

}  // namespace bellows::kubernetes
