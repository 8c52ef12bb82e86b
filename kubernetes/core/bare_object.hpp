// An object of any kind of which only the metadata counts.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

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

/// Returns the keys of a list of objects, as JSON: "shop/web", or "web" without a namespace.
Result<std::vector<std::string>> read_object_keys(std::string_view body);

}  // namespace bellows::kubernetes
