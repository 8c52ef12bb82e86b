#include "tests/support/fake_api_patch.hpp"

#include <boost/json/parse.hpp>
#include <charconv>
#include <string>

namespace bellows::test {

namespace {

std::string unescaped(std::string_view step) {
  std::string text;
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (step[i] == '~' && i + 1 < step.size()) {
      text += step[++i] == '1' ? '/' : '~';
    } else {
      text += step[i];
    }
  }
  return text;
}

tl::unexpected<Error> invalid(std::string_view path, std::string message) {
  return fail(ErrorKind::kConflict, std::string(path), std::move(message));
}

/// The parent of the value at `path`, and the last step.
Result<std::pair<boost::json::value*, std::string>> parent_of(boost::json::value& document,
                                                              std::string_view path) {
  boost::json::value* at = &document;
  std::string_view rest = path;
  if (rest.empty() || rest.front() != '/') return invalid(path, "want a JSON pointer");
  for (;;) {
    rest.remove_prefix(1);
    const auto end = std::min(rest.find('/'), rest.size());
    const std::string step = unescaped(rest.substr(0, end));
    rest.remove_prefix(end);
    if (rest.empty()) return std::pair{at, step};
    if (auto* object = at->if_object()) {
      at = object->if_contains(step);
    } else if (auto* list = at->if_array()) {
      std::size_t index = list->size();
      std::from_chars(step.data(), step.data() + step.size(), index);
      at = index < list->size() ? &(*list)[index] : nullptr;
    } else {
      at = nullptr;
    }
    if (at == nullptr) return invalid(path, "nothing there");
  }
}

/// The value at a step of `parent`; null: none.
boost::json::value* child(boost::json::value& parent, const std::string& step) {
  if (auto* object = parent.if_object()) return object->if_contains(step);
  auto* list = parent.if_array();
  if (list == nullptr) return nullptr;
  std::size_t index = list->size();
  std::from_chars(step.data(), step.data() + step.size(), index);
  return index < list->size() ? &(*list)[index] : nullptr;
}

Result<void> add(boost::json::value& parent, const std::string& step,
                 const boost::json::value& value) {
  if (auto* object = parent.if_object()) {
    (*object)[step] = value;
    return {};
  }
  auto* list = parent.if_array();
  if (list == nullptr) return invalid(step, "nothing can be added here");
  std::size_t index = list->size();
  if (step != "-") std::from_chars(step.data(), step.data() + step.size(), index);
  if (index > list->size()) return invalid(step, "beyond the end of the list");
  list->insert(list->begin() + static_cast<std::ptrdiff_t>(index), value);
  return {};
}

void remove(boost::json::value& parent, const std::string& step) {
  if (auto* object = parent.if_object()) {
    object->erase(step);
    return;
  }
  boost::json::array& list = parent.get_array();
  list.erase(list.begin() + (child(parent, step) - list.data()));
}

Result<void> apply(boost::json::value& document, const boost::json::object& operation) {
  const auto text = [&operation](const char* key) {
    const auto* value = operation.if_contains(key);
    return value != nullptr && value->is_string() ? std::string(value->get_string().c_str())
                                                  : std::string();
  };
  const std::string op = text("op");
  const std::string path = text("path");
  BELLOWS_TRY(const auto place, parent_of(document, path));
  boost::json::value& parent = *place.first;
  boost::json::value* there = child(parent, place.second);
  const boost::json::value* value = operation.if_contains("value");
  if (op == "test") {
    const bool holds = there != nullptr && value != nullptr && *there == *value;
    return holds ? Result<void>() : invalid(path, "testing value failed");
  }
  if (op == "add" && value != nullptr) return add(parent, place.second, *value);
  if (there == nullptr) return invalid(path, op + " operation does not apply: missing value");
  if (op == "replace" && value != nullptr) {
    *there = *value;
  } else if (op == "remove") {
    remove(parent, place.second);
  } else {
    return invalid(op, "unknown operation");
  }
  return {};
}

void merge(boost::json::value& document, const boost::json::object& patch) {
  if (!document.is_object()) document = boost::json::object();
  boost::json::object& object = document.get_object();
  for (const auto& member : patch) {
    if (member.value().is_null()) {
      object.erase(member.key());
    } else if (const auto* below = member.value().if_object()) {
      merge(object[member.key()], *below);
    } else {
      object[member.key()] = member.value();
    }
  }
}

}  // namespace

Result<void> apply_json_patch(boost::json::value& document, std::string_view patch) {
  boost::system::error_code error;
  const boost::json::value operations = boost::json::parse({patch.data(), patch.size()}, error);
  if (error || !operations.is_array()) {
    return fail(ErrorKind::kMalformed, "patch", "want a list of operations");
  }
  for (const boost::json::value& operation : operations.get_array()) {
    if (!operation.is_object()) {
      return fail(ErrorKind::kMalformed, "patch", "want objects with op and path");
    }
    BELLOWS_CHECKED(apply(document, operation.get_object()));
  }
  return {};
}

Result<void> apply_merge_patch(boost::json::value& document, std::string_view patch) {
  boost::system::error_code error;
  const boost::json::value members = boost::json::parse({patch.data(), patch.size()}, error);
  if (error || !members.is_object()) {
    return fail(ErrorKind::kMalformed, "patch", "want an object");
  }
  merge(document, members.get_object());
  return {};
}

}  // namespace bellows::test
