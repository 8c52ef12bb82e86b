#include "kubernetes/core/bare_object.hpp"

#include "kubernetes/core/fields.hpp"
#include "kubernetes/core/item_reader.hpp"

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

Result<std::vector<std::string>> read_object_keys(std::string_view body) {
  BELLOWS_TRY(const auto objects, read_list<BareObject>(body));
  std::vector<std::string> keys;
  for (const BareObject& object : objects) keys.push_back(object_key(object.meta));
  return keys;
}

}  // namespace bellows::kubernetes
