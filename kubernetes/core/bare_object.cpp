#include "kubernetes/core/bare_object.hpp"

#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

const FieldSet& BareObject::fields() {
  static const FieldSet kFields = [] {
    FieldSet fields;
    keep_meta(fields);
    return fields;
  }();
  return kFields;
}

Result<BareObject> BareObject::from(const boost::json::object& pruned) {
  return read_document(pruned, "object",
                       [](const Fields& object) { return BareObject{.meta = read_meta(object)}; });
}

}  // namespace bellows::kubernetes
