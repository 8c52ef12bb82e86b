#include "kubernetes/core/item_reader.hpp"

#include <boost/json/object.hpp>
#include <utility>

#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

namespace {

FieldSet fields_of_list(const FieldSet& item) {
  FieldSet fields{"/kind", "/message", "/metadata/resourceVersion", "/metadata/continue",
                  "/metadata/remainingItemCount"};
  fields.add_below("/items", item);
  return fields;
}

ListMetadata read_list_metadata(const Fields& list) {
  const Fields metadata = list.object("metadata");
  ListMetadata read{.resource_version = metadata.text("resourceVersion"),
                    .continue_token = metadata.text("continue"),
                    .remaining_items = std::nullopt};
  if (metadata.has("remainingItemCount")) {
    read.remaining_items = metadata.integer("remainingItemCount");
  }
  return read;
}

}  // namespace

ItemReader::ItemReader(const FieldSet& fields, OnItem on_item, OnRejected on_rejected)
    : on_item_(std::move(on_item)),
      units_(
          fields_of_list(fields), {.elements_of = "items", .object_at = {}},
          [this](const boost::json::object& object, bool is_element) {
            return is_element ? on_item_(object) : take_list(object);
          },
          std::move(on_rejected)) {}

Result<ListMetadata> ItemReader::finish() {
  if (units_.problem()) return fail(*units_.problem());
  if (!metadata_ || !units_.at_boundary()) {
    return fail(ErrorKind::kMalformed, "list", "it ends before its last bracket; want it whole");
  }
  return *metadata_;
}

Result<void> ItemReader::take_list(const boost::json::object& list) {
  if (metadata_) return fail(ErrorKind::kMalformed, "list", "more follows its end");
  if (!list.contains("items")) {
    return fail(ErrorKind::kMalformed, "list", "items: missing: want a list");
  }
  BELLOWS_TRY(metadata_, read_document(list, "list", read_list_metadata));
  return {};
}

}  // namespace bellows::kubernetes
