// An object of any kind, its spec and status as text.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "base/result.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/object_meta.hpp"

namespace bellows::kubernetes {

/// For kinds that this room does not know: the caller reads spec and status (json/object.hpp).
struct CustomObject {
  ObjectMeta meta;
  std::string spec;    ///< compact JSON of the value, numbers as they were; empty: missing
  std::string status;  ///< likewise
  bool operator==(const CustomObject&) const = default;

  static const FieldSet& fields();
  static Result<CustomObject> from(const boost::json::object& pruned);
};

}  // namespace bellows::kubernetes
