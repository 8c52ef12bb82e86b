#include "kubernetes/core/managed_fields.hpp"

#include <boost/json/object.hpp>

#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

namespace {

/// Returns true if fieldsV1 has the path: each step is a member "f:STEP".
bool has_path(const Fields& fields, std::string_view path) {
  if (path.empty()) return true;
  path.remove_prefix(1);
  const std::string_view step = path.substr(0, path.find('/'));
  path.remove_prefix(step.size());
  const std::string key = "f:" + std::string(step);
  if (path.empty()) return fields.has(key);
  const Fields below = fields.object(key);
  return fields.has(key) && has_path(below, path);
}

}  // namespace

Result<std::optional<FieldManager>> manager_of(std::string_view body, std::string_view path,
                                               std::string_view except) {
  BELLOWS_TRY(const auto document, parse_document(body));
  return read_document(*document, "object", [&](const Fields& object) {
    std::optional<FieldManager> newest;
    object.object("metadata").each("managedFields", [&](const Fields& entry) {
      FieldManager manager{.name = entry.text("manager"),
                           .operation = entry.text("operation"),
                           .subresource = entry.text("subresource"),
                           .time = entry.time("time")};
      if (manager.name == except || !has_path(entry.object("fieldsV1"), path)) return;
      if (!newest || newest->time <= manager.time) newest = std::move(manager);
    });
    return newest;
  });
}

}  // namespace bellows::kubernetes
