// Reads the members of one object of the API: missing members are allowed, wrong types are errors.
#pragma once

#include <boost/json/fwd.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "kubernetes/core/string_map.hpp"

namespace bellows::kubernetes {

/// One object within a document. A missing or null member reads as empty, zero, false or nullopt,
/// because the API omits members that have their default. A member of a wrong type is an Error of
/// the whole document: `Pod shop/web-1: status.containerStatuses[0].restartCount: "x": want an
/// integer`; the first error is kept, and reading continues with the default. It is cheap to make,
/// and valid within the scope of its parent and of the document.
class Fields {
 public:
  /// Makes the root of a document. `error` receives the first wrong type. `kind` begins its
  /// message.
  Fields(const boost::json::object& document, std::string_view kind, std::optional<Error>& error);

  bool has(std::string_view key) const;        ///< present and not null
  bool is_object(std::string_view key) const;  ///< present, and of that type
  std::string text(std::string_view key) const;
  /// Does what text() does, without a copy.
  std::string_view view(std::string_view key) const;
  std::int64_t integer(std::string_view key, std::int64_t missing = 0) const;
  /// Returns an integer; one that does not fit is an error too.
  std::int32_t int32(std::string_view key, std::int32_t missing = 0) const;
  std::optional<std::int32_t> optional_int32(std::string_view key) const;
  /// Returns a number of [least, most]; another one is an error too.
  std::optional<double> optional_number(std::string_view key, double least, double most) const;
  bool flag(std::string_view key, bool missing = false) const;
  std::optional<bool> optional_flag(std::string_view key) const;
  std::optional<WallTime> time(std::string_view key) const;
  StringMap map(std::string_view key) const;
  /// Returns an integer or a text (IntOrString of the API), as text.
  std::string integer_or_text(std::string_view key) const;
  /// Returns the member as compact JSON; empty if it is missing.
  std::string json(std::string_view key) const;

  /// Returns the object under `key`; it reads as empty if it is missing. Do not keep it beyond this
  /// one.
  Fields object(std::string_view key) const;
  /// Calls `read` for each object of the list under `key`.
  void each(std::string_view key, const std::function<void(const Fields&)>& read) const;
  /// Calls `read` for each text of the list under `key`.
  void each_text(std::string_view key, const std::function<void(std::string_view)>& read) const;

  /// Sets an error of the document that names `key` with its place and value, unless it has one
  /// already.
  void invalid(std::string_view key, std::string_view want) const;

 private:
  static constexpr std::size_t kNoIndex = std::numeric_limits<std::size_t>::max();
  Fields(const boost::json::object* object, const Fields* parent, std::string_view key,
         std::size_t index);
  const boost::json::value* find(std::string_view key) const;
  std::string path() const;
  std::string document_name() const;

  const boost::json::object* object_;  // null: missing
  const Fields* parent_ = nullptr;     // null: the root
  std::string_view key_;               // key of this object in its parent; the kind in the root
  std::size_t index_ = kNoIndex;       // index in the list under key_
  std::optional<Error>* error_;
};

/// Reads a document by `read(const Fields&) -> T`, or returns its first error (kMalformed).
template <class F>
auto read_document(const boost::json::object& document, std::string_view kind, F read)
    -> Result<std::invoke_result_t<F, const Fields&>> {
  std::optional<Error> error;
  auto value = read(Fields(document, kind, error));
  if (error) return fail(*std::move(error));
  return value;
}

/// Parses the document in `text` to an object, for `read_document`; kMalformed if it is none. It
/// accepts numbers and nesting as the API server writes them.
Result<std::shared_ptr<const boost::json::object>> parse_document(std::string_view text);

}  // namespace bellows::kubernetes
