#include "kubernetes/core/event_reader.hpp"

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <utility>

#include "kubernetes/core/fields.hpp"
#include "kubernetes/core/status.hpp"

namespace bellows::kubernetes {

namespace {

FieldSet fields_of_event(const FieldSet& object) {
  FieldSet fields{"/type"};
  fields.add_below("/object", object);
  fields.add_below("/object", status_fields());
  fields.add_below("/object", FieldSet{"/kind", "/metadata/name", "/metadata/namespace",
                                       "/metadata/resourceVersion",
                                       "/metadata/annotations/k8s.io~1initial-events-end"});
  return fields;
}

std::optional<WatchEventType> event_type(std::string_view text) {
  if (text == "ADDED") return WatchEventType::kAdded;
  if (text == "MODIFIED") return WatchEventType::kModified;
  if (text == "DELETED") return WatchEventType::kDeleted;
  if (text == "BOOKMARK") return WatchEventType::kBookmark;
  if (text == "ERROR") return WatchEventType::kError;
  return std::nullopt;
}

}  // namespace

EventReader::EventReader(const FieldSet& fields, OnEvent on_event, OnRejected on_rejected)
    : on_event_(std::move(on_event)),
      units_(
          fields_of_event(fields), {.elements_of = {}, .object_at = "/object"},
          [this](const boost::json::object& event, bool /*is_element*/) { return take(event); },
          std::move(on_rejected)) {}

/// Passes on an event. An error is of this event only; bytes that are no event end the reader.
Result<void> EventReader::take(const boost::json::object& event) {
  std::optional<Error> error;
  const Fields fields(event, "watch event", error);
  const std::string_view name = fields.view("type");
  const auto type = event_type(name);
  const auto* object = event.if_contains("object");
  if (!type || object == nullptr || !object->is_object()) {
    units_.end(Error(ErrorKind::kMalformed, "watch event",
                     "type \"" + std::string(name.substr(0, 60)) +
                         "\": want ADDED, MODIFIED, DELETED, BOOKMARK or ERROR, and an object"));
    return {};
  }
  return on_event_({.type = *type, .object = object->get_object()});
}

}  // namespace bellows::kubernetes
