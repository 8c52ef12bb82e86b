#include "kubernetes/core/scale.hpp"

#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

namespace {

Scale read_scale(const Fields& object) {
  Scale scale;
  scale.meta = read_meta(object);
  scale.replicas = object.object("spec").int32("replicas");
  const Fields status = object.object("status");
  scale.status_replicas = status.int32("replicas");
  auto selector = Selector::parse(status.view("selector"));
  if (selector) {
    scale.selector = *std::move(selector);
  } else {
    status.invalid("selector", "a label selector such as \"app=web,tier in (a, b),!canary\"");
  }
  return scale;
}

}  // namespace

const FieldSet& Scale::fields() {
  static const FieldSet kFields = [] {
    FieldSet fields{"/spec/replicas", "/status/replicas", "/status/selector"};
    keep_meta(fields);
    return fields;
  }();
  return kFields;
}

Result<Scale> Scale::from(const boost::json::object& pruned) {
  return read_document(pruned, "Scale", read_scale);
}

}  // namespace bellows::kubernetes
