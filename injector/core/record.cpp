#include "injector/core/record.hpp"

#include <limits>

#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::injector {

namespace {

constexpr std::int64_t kMaxColumn = 100'000;

void write_scalars(std::string_view key, const std::vector<ReplacedScalar>& scalars,
                   json::Writer& writer) {
  if (scalars.empty()) return;
  writer.open_list(key);
  for (const ReplacedScalar& scalar : scalars) {
    writer.open().text("path", scalar.path).text("was", scalar.was).text("is", scalar.is).close();
  }
  writer.close();
}

Result<std::vector<ReplacedScalar>> read_scalars(const json::Object& object, std::string_view key) {
  std::vector<ReplacedScalar> scalars;
  if (!object.has(key)) return scalars;
  BELLOWS_TRY(const std::vector<json::Object> items, object.objects(key));
  for (const json::Object& item : items) {
    ReplacedScalar scalar;
    BELLOWS_TRY(scalar.path, item.text("path"));
    BELLOWS_TRY(scalar.was, item.text("was"));
    BELLOWS_TRY(scalar.is, item.text("is"));
    scalars.push_back(std::move(scalar));
  }
  return scalars;
}

Result<TakenEntry> read_taken(const json::Object& object) {
  TakenEntry taken;
  BELLOWS_TRY(taken.after, object.text("after"));
  BELLOWS_TRY(taken.text, object.text("text"));
  BELLOWS_TRY(const std::int64_t column, object.integer("column", 0, kMaxColumn));
  BELLOWS_TRY(taken.is_flow, object.flag("flow"));
  taken.column = static_cast<std::size_t>(column);
  return taken;
}

}  // namespace

std::string record_text(const Record& record) {
  json::Writer writer;
  writer.text("version", record.version).text("hash", record.hash);
  if (!record.container.empty()) {
    writer.text("container", record.container).flag("hook", record.has_hook);
  }
  if (!record.made.empty()) {
    writer.open_list("made");
    for (const std::string& path : record.made) writer.text(path);
    writer.close();
  }
  write_scalars("nulls", record.nulls, writer);
  write_scalars("replaced", record.replaced, writer);
  if (record.readiness) {
    writer.open("readiness")
        .text("after", record.readiness->after)
        .text("text", record.readiness->text)
        .integer("column", record.readiness->column)
        .flag("flow", record.readiness->is_flow)
        .close();
  }
  return writer.end();
}

Result<Record> read_record(std::string_view text) {
  BELLOWS_TRY(const json::Object object, json::parse(text));
  Record record;
  BELLOWS_TRY(record.version, object.text("version"));
  BELLOWS_TRY(record.hash, object.text("hash"));
  if (object.has("container")) {
    BELLOWS_TRY(record.container, object.text("container"));
    BELLOWS_TRY(record.has_hook, object.flag("hook"));
  }
  if (object.has("made")) {
    BELLOWS_TRY(const json::List made, object.list("made"));
    for (std::size_t i = 0; i < made.size(); ++i) {
      BELLOWS_TRY(std::string path, made.text(i));
      record.made.push_back(std::move(path));
    }
  }
  BELLOWS_TRY(record.nulls, read_scalars(object, "nulls"));
  BELLOWS_TRY(record.replaced, read_scalars(object, "replaced"));
  if (object.has("readiness")) {
    BELLOWS_TRY(const json::Object readiness, object.object("readiness"));
    BELLOWS_TRY(record.readiness, read_taken(readiness));
  }
  return record;
}

}  // namespace bellows::injector
