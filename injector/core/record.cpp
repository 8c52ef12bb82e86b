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

void write_taken(std::string_view key, const TakenEntry& taken, json::Writer& writer) {
  writer.open(key)
      .text("after", taken.after)
      .text("text", taken.text)
      .integer("column", taken.column)
      .flag("flow", taken.is_flow)
      .close();
}

void write_texts(std::string_view key, const std::vector<std::string>& texts,
                 json::Writer& writer) {
  if (texts.empty()) return;
  writer.open_list(key);
  for (const std::string& text : texts) writer.text(text);
  writer.close();
}

Result<std::vector<std::string>> read_texts(const json::Object& object, std::string_view key) {
  std::vector<std::string> texts;
  if (!object.has(key)) return texts;
  BELLOWS_TRY(const json::List list, object.list(key));
  for (std::size_t i = 0; i < list.size(); ++i) {
    BELLOWS_TRY(std::string text, list.text(i));
    texts.push_back(std::move(text));
  }
  return texts;
}

void write_shared(const std::vector<SharedValue>& shared, json::Writer& writer) {
  if (shared.empty()) return;
  writer.open_list("shared");
  for (const SharedValue& value : shared) {
    writer.open().text("path", value.path);
    if (!value.alias.empty()) {
      writer.text("alias", value.alias);
    } else {
      write_texts("keys", value.keys, writer);
      write_taken("merge", value.merge, writer);
    }
    writer.close();
  }
  writer.close();
}

Result<std::vector<SharedValue>> read_shared(const json::Object& object) {
  std::vector<SharedValue> shared;
  if (!object.has("shared")) return shared;
  BELLOWS_TRY(const std::vector<json::Object> items, object.objects("shared"));
  for (const json::Object& item : items) {
    SharedValue value;
    BELLOWS_TRY(value.path, item.text("path"));
    if (item.has("alias")) {
      BELLOWS_TRY(value.alias, item.text("alias"));
    } else {
      BELLOWS_TRY(value.keys, read_texts(item, "keys"));
      BELLOWS_TRY(const json::Object merge, item.object("merge"));
      BELLOWS_TRY(value.merge, read_taken(merge));
    }
    shared.push_back(std::move(value));
  }
  return shared;
}

}  // namespace

std::string record_text(const Record& record) {
  json::Writer writer;
  writer.text("version", record.version).text("hash", record.hash);
  if (!record.container.empty()) {
    writer.text("container", record.container).flag("hook", record.has_hook);
  }
  write_texts("made", record.made, writer);
  write_scalars("nulls", record.nulls, writer);
  write_scalars("replaced", record.replaced, writer);
  if (record.readiness) write_taken("readiness", *record.readiness, writer);
  write_shared(record.shared, writer);
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
  BELLOWS_TRY(record.made, read_texts(object, "made"));
  BELLOWS_TRY(record.nulls, read_scalars(object, "nulls"));
  BELLOWS_TRY(record.replaced, read_scalars(object, "replaced"));
  if (object.has("readiness")) {
    BELLOWS_TRY(const json::Object readiness, object.object("readiness"));
    BELLOWS_TRY(record.readiness, read_taken(readiness));
  }
  BELLOWS_TRY(record.shared, read_shared(object));
  return record;
}

}  // namespace bellows::injector
