#include "kubernetes/core/event.hpp"

#include "base/timestamp_text.hpp"
#include "json/writer.hpp"
#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

namespace {

Event read_event(const Fields& object) {
  Event event;
  event.meta = read_meta(object);
  const Fields involved = object.object("involvedObject");
  event.object = {.api_version = involved.text("apiVersion"),
                  .kind = involved.text("kind"),
                  .ns = involved.text("namespace"),
                  .name = involved.text("name"),
                  .uid = involved.text("uid")};
  event.type = object.text("type");
  event.reason = object.text("reason");
  event.message = object.text("message");
  event.component = object.object("source").text("component");
  event.count = object.int32("count", 1);
  event.first = object.time("firstTimestamp").value_or(WallTime());
  event.last = object.time("lastTimestamp").value_or(event.first);
  return event;
}

}  // namespace

const FieldSet& Event::fields() {
  static const FieldSet kFields = [] {
    FieldSet fields{"/involvedObject", "/type",  "/reason",         "/message",
                    "/source",         "/count", "/firstTimestamp", "/lastTimestamp"};
    keep_meta(fields);
    return fields;
  }();
  return kFields;
}

Result<Event> Event::from(const boost::json::object& pruned) {
  return read_document(pruned, "Event", read_event);
}

std::string event_json(const Event& event) {
  json::Writer writer;
  writer.text("apiVersion", "v1").text("kind", "Event").open("metadata");
  writer.text("namespace", event.object.ns.empty() ? "default" : event.object.ns);
  writer.text("name", event.meta.name).close();
  writer.open("involvedObject").text("apiVersion", event.object.api_version);
  writer.text("kind", event.object.kind);
  if (!event.object.ns.empty()) writer.text("namespace", event.object.ns);
  writer.text("name", event.object.name).text("uid", event.object.uid).close();
  writer.text("type", event.type).text("reason", event.reason).text("message", event.message);
  writer.open("source").text("component", event.component).close();
  writer.integer("count", event.count);
  writer.text("firstTimestamp", timestamp_text(event.first));
  writer.text("lastTimestamp", timestamp_text(event.last));
  return writer.end();
}

}  // namespace bellows::kubernetes
