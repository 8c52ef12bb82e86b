#include "kubernetes/core/custom_object.hpp"

#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

const FieldSet& CustomObject::fields() {
  static const FieldSet kFields = [] {
    FieldSet fields{"/spec", "/status"};
    keep_meta(fields);
    return fields;
  }();
  return kFields;
}

Result<CustomObject> CustomObject::from(const boost::json::object& pruned) {
  return read_document(pruned, "object", [](const Fields& object) {
    return CustomObject{
        .meta = read_meta(object), .spec = object.json("spec"), .status = object.json("status")};
  });
}

}  // namespace bellows::kubernetes
