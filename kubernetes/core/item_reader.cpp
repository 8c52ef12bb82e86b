#include "kubernetes/core/item_reader.hpp"

#include <boost/json/object.hpp>
#include <utility>

#include "kubernetes/core/fields.hpp"
#include "kubernetes/core/json_pruner.hpp"
#include "kubernetes/core/object_meta.hpp"
#include "kubernetes/core/unit_parser.hpp"

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

class ItemReader::Impl {
 public:
  Impl(const FieldSet& fields, OnItem on_item, OnRejected on_rejected)
      : fields_(fields_of_list(fields)),
        on_item_(std::move(on_item)),
        on_rejected_(std::move(on_rejected)),
        pruner_(fields_,
                {.elements_of = "items", .object_member = {}, .max_unit_bytes = kMaxObjectBytes},
                [this](const JsonPruner::Unit& unit) { take(unit); }) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<void> feed(std::string_view chunk) {
    if (problem_) return fail(*problem_);
    if (auto fed = pruner_.feed(chunk); !fed && !problem_) problem_ = fed.error();
    if (problem_) return fail(*problem_);
    return {};
  }

  Result<ListMetadata> finish() {
    if (problem_) return fail(*problem_);
    if (!metadata_ || !pruner_.at_boundary()) {
      return fail(ErrorKind::kMalformed, "list", "it ends before its last bracket; want it whole");
    }
    return *metadata_;
  }

 private:
  void take(const JsonPruner::Unit& unit) {
    if (problem_) return;
    if (!unit.is_element) {
      if (auto read = take_list(unit); !read) problem_ = read.error();
      return;
    }
    Result<void> used;
    if (unit.is_too_large) {
      used = fail(ErrorKind::kTooLarge, "object " + object_key(unit.ns, unit.name),
                  "its fields take more than " + std::to_string(kMaxObjectBytes) + " bytes");
    } else {
      used = parser_.parse(unit.text, on_item_);
    }
    if (!used) on_rejected_(used.error());
  }

  Result<void> take_list(const JsonPruner::Unit& unit) {
    if (metadata_) return fail(ErrorKind::kMalformed, "list", "more follows its end");
    return parser_.parse(unit.text, [this](const boost::json::object& list) -> Result<void> {
      if (!list.contains("items")) {
        return fail(ErrorKind::kMalformed, "list", "items: missing: want a list");
      }
      BELLOWS_TRY(metadata_, read_document(list, "list", read_list_metadata));
      return {};
    });
  }

  const FieldSet fields_;
  OnItem on_item_;
  OnRejected on_rejected_;
  UnitParser parser_;
  std::optional<ListMetadata> metadata_;
  std::optional<Error> problem_;
  JsonPruner pruner_;
};

ItemReader::ItemReader(const FieldSet& fields, OnItem on_item, OnRejected on_rejected)
    : impl_(std::make_unique<Impl>(fields, std::move(on_item), std::move(on_rejected))) {}
ItemReader::~ItemReader() = default;
ItemReader::ItemReader(ItemReader&&) noexcept = default;
ItemReader& ItemReader::operator=(ItemReader&&) noexcept = default;

Result<void> ItemReader::feed(std::string_view chunk) {
  return impl_->feed(chunk);
}

Result<ListMetadata> ItemReader::finish() {
  return impl_->finish();
}

}  // namespace bellows::kubernetes
