#include "kubernetes/core/fields.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <vector>

#include "base/number_text.hpp"
#include "base/timestamp_text.hpp"
#include "json/writer.hpp"
#include "kubernetes/core/object_meta.hpp"
#include "kubernetes/core/unit_reader.hpp"

namespace bellows::kubernetes {

namespace {

std::string_view view_of(boost::json::string_view text) {
  return {text.data(), text.size()};
}

/// Returns at most 60 characters of JSON, for messages.
std::string shown(const boost::json::value& value) {
  constexpr std::size_t kMaxShown = 60;
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  const std::string text = boost::json::serialize(value);
  return text.size() > kMaxShown ? text.substr(0, kMaxShown) + "..." : text;
}

/// Appends compact JSON. Boost's own writer turns 0.5 into 5E-1, which no setting's reader accepts.
void append_json(const boost::json::value& value, std::string& out) {
  if (const auto* object = value.if_object()) {
    char before = '{';
    for (const auto& member : *object) {
      out += std::exchange(before, ',');
      json::append_string(view_of(member.key()), out);
      out += ':';
      append_json(member.value(), out);
    }
    if (object->empty()) out += '{';
    out += '}';
  } else if (const auto* list = value.if_array()) {
    char before = '[';
    for (const auto& element : *list) {
      out += std::exchange(before, ',');
      append_json(element, out);
    }
    if (list->empty()) out += '[';
    out += ']';
  } else if (const auto* number = value.if_double()) {
    append_shortest(*number, out);
  } else {
    out += boost::json::serialize(value);
  }
}

}  // namespace

Fields::Fields(const boost::json::object& document, std::string_view kind,
               std::optional<Error>& error)
    : object_(&document), key_(kind), error_(&error) {}

Fields::Fields(const boost::json::object* object, const Fields* parent, std::string_view key,
               std::size_t index)
    : object_(object), parent_(parent), key_(key), index_(index), error_(parent->error_) {}

const boost::json::value* Fields::find(std::string_view key) const {
  if (object_ == nullptr) return nullptr;
  const boost::json::value* value = object_->if_contains({key.data(), key.size()});
  return value == nullptr || value->is_null() ? nullptr : value;
}

bool Fields::has(std::string_view key) const {
  return find(key) != nullptr;
}

bool Fields::is_object(std::string_view key) const {
  const boost::json::value* value = find(key);
  return value != nullptr && value->is_object();
}

std::string_view Fields::view(std::string_view key) const {
  const boost::json::value* value = find(key);
  if (value == nullptr) return {};
  if (const auto* text = value->if_string()) return view_of(*text);
  invalid(key, "a text");
  return {};
}

std::string Fields::text(std::string_view key) const {
  return std::string(view(key));
}

std::int64_t Fields::integer(std::string_view key, std::int64_t missing) const {
  const boost::json::value* value = find(key);
  if (value == nullptr) return missing;
  if (const auto* number = value->if_int64()) return *number;
  invalid(key, "an integer");
  return missing;
}

std::int32_t Fields::int32(std::string_view key, std::int32_t missing) const {
  const std::int64_t number = integer(key, missing);
  if (number >= std::numeric_limits<std::int32_t>::min() &&
      number <= std::numeric_limits<std::int32_t>::max()) {
    return static_cast<std::int32_t>(number);
  }
  invalid(key, "an integer of 32 bits");
  return missing;
}

std::optional<std::int32_t> Fields::optional_int32(std::string_view key) const {
  return has(key) ? std::optional(int32(key)) : std::nullopt;
}

std::optional<double> Fields::optional_number(std::string_view key, double least,
                                              double most) const {
  const boost::json::value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) {
    const auto number = value->to_number<double>();
    if (number >= least && number <= most) return number;
  }
  invalid(key, "a number from " + plain_text(least) + " to " + plain_text(most));
  return std::nullopt;
}

bool Fields::flag(std::string_view key, bool missing) const {
  return optional_flag(key).value_or(missing);
}

std::optional<bool> Fields::optional_flag(std::string_view key) const {
  const boost::json::value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* flag = value->if_bool()) return *flag;
  invalid(key, "true or false");
  return std::nullopt;
}

std::optional<WallTime> Fields::time(std::string_view key) const {
  const std::string_view text = view(key);
  if (text.empty()) return std::nullopt;
  const auto time = parse_timestamp(text);
  if (!time) invalid(key, "a time such as \"2026-01-01T00:00:00Z\"");
  return time;
}

StringMap Fields::map(std::string_view key) const {
  const boost::json::value* value = find(key);
  if (value == nullptr) return {};
  const auto* object = value->if_object();
  if (object == nullptr) {
    invalid(key, "an object of texts");
    return {};
  }
  StringMap::Entries entries;
  entries.reserve(object->size());
  const Fields members(object, this, key, kNoIndex);
  for (const auto& member : *object) {
    const std::string_view name = view_of(member.key());
    entries.emplace_back(name, members.view(name));
  }
  return StringMap(std::move(entries));
}

std::string Fields::integer_or_text(std::string_view key) const {
  const boost::json::value* value = find(key);
  if (value == nullptr) return {};
  if (const auto* text = value->if_string()) return std::string(view_of(*text));
  if (const auto* number = value->if_int64()) return std::to_string(*number);
  invalid(key, "an integer or a text");
  return {};
}

std::string Fields::json(std::string_view key) const {
  std::string text;
  if (const boost::json::value* value = find(key)) append_json(*value, text);
  return text;
}

Fields Fields::object(std::string_view key) const {
  const boost::json::value* value = find(key);
  const boost::json::object* object = value == nullptr ? nullptr : value->if_object();
  if (value != nullptr && object == nullptr) invalid(key, "an object");
  return {object, this, key, kNoIndex};
}

void Fields::each(std::string_view key, const std::function<void(const Fields&)>& read) const {
  const boost::json::value* value = find(key);
  if (value == nullptr) return;
  const auto* list = value->if_array();
  if (list == nullptr) return invalid(key, "a list");
  std::size_t index = 0;
  for (const auto& element : *list) {
    const auto* object = element.if_object();
    if (object == nullptr) return invalid(key, "a list of objects only");
    read(Fields(object, this, key, index++));
  }
}

void Fields::each_text(std::string_view key,
                       const std::function<void(std::string_view)>& read) const {
  const boost::json::value* value = find(key);
  if (value == nullptr) return;
  const auto* list = value->if_array();
  if (list == nullptr) return invalid(key, "a list");
  for (const auto& element : *list) {
    const auto* text = element.if_string();
    if (text == nullptr) return invalid(key, "a list of texts only");
    read(view_of(*text));
  }
}

void Fields::invalid(std::string_view key, std::string_view want) const {
  if (error_->has_value()) return;
  const boost::json::value* value = find(key);
  std::string message = path();
  if (!message.empty()) message += '.';
  message.append(key).append(": ");
  message += value == nullptr ? "missing" : shown(*value);
  message.append(": want ").append(want);
  error_->emplace(ErrorKind::kMalformed, document_name(), std::move(message));
}

std::string Fields::path() const {
  if (parent_ == nullptr) return {};
  std::string text = parent_->path();
  if (!text.empty()) text += '.';
  text += key_;
  if (index_ != kNoIndex) text += "[" + std::to_string(index_) + "]";
  return text;
}

/// Returns the name from the root: "Pod shop/web-1".
std::string Fields::document_name() const {
  const Fields* root = this;
  while (root->parent_ != nullptr) root = root->parent_;
  std::string name(root->key_);
  const ObjectIdentity identity = identity_of(*root->object_);
  return identity.key.empty() ? name : name + " " + identity.key;
}

Result<std::shared_ptr<const boost::json::object>> parse_document(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = kMaxKeptDepth;
  boost::system::error_code error;
  const boost::json::value value =
      boost::json::parse({text.data(), text.size()}, error, boost::json::storage_ptr(), options);
  if (error) return fail(ErrorKind::kMalformed, "JSON", error.message());
  if (!value.is_object()) return fail(ErrorKind::kMalformed, "JSON", "want an object");
  return std::make_shared<const boost::json::object>(value.get_object());
}

}  // namespace bellows::kubernetes
