#include "kubernetes/core/patch.hpp"

#include "json/writer.hpp"

namespace bellows::kubernetes {

void JsonPatch::operation(std::string_view op, std::string_view path, std::string_view json) {
  if (!operations_.empty()) operations_ += ',';
  json::Writer writer;
  writer.text("op", op).text("path", path);
  if (!json.empty()) writer.raw("value", json);
  operations_ += writer.end();
}

JsonPatch& JsonPatch::test(std::string_view path, std::string_view text) {
  operation("test", path, json::quoted(text));
  return *this;
}

JsonPatch& JsonPatch::test(std::string_view path, std::int64_t number) {
  operation("test", path, std::to_string(number));
  return *this;
}

JsonPatch& JsonPatch::test_json(std::string_view path, std::string_view json) {
  operation("test", path, json);
  return *this;
}

JsonPatch& JsonPatch::replace(std::string_view path, std::string_view text) {
  operation("replace", path, json::quoted(text));
  return *this;
}

JsonPatch& JsonPatch::replace(std::string_view path, std::int64_t number) {
  operation("replace", path, std::to_string(number));
  return *this;
}

JsonPatch& JsonPatch::replace_json(std::string_view path, std::string_view json) {
  operation("replace", path, json);
  return *this;
}

JsonPatch& JsonPatch::add(std::string_view path, std::string_view text) {
  operation("add", path, json::quoted(text));
  return *this;
}

JsonPatch& JsonPatch::add_json(std::string_view path, std::string_view json) {
  operation("add", path, json);
  return *this;
}

JsonPatch& JsonPatch::remove(std::string_view path) {
  operation("remove", path, {});
  return *this;
}

std::string annotation_patch(std::string_view key, const std::string* value) {
  json::Writer writer;
  writer.open("metadata").open("annotations");
  if (value == nullptr) {
    writer.null(key);
  } else {
    writer.text(key, *value);
  }
  return writer.close().close().end();
}

}  // namespace bellows::kubernetes
