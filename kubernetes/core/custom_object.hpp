// An object of any kind, with its spec and status as text.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "base/result.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/object_meta.hpp"

namespace bellows::kubernetes {

/// An object of a kind that this room does not know: the caller reads spec and status
/// (json/object.hpp).
struct CustomObject {
  ObjectMeta meta;
  std::string spec;    ///< compact JSON of the value, numbers unchanged; empty: missing
  std::string status;  ///< the same
  bool operator==(const CustomObject&) const = default;

  static const FieldSet& fields();
  static Result<CustomObject> from(const boost::json::object& pruned);
};

}  // namespace bellows::kubernetes
