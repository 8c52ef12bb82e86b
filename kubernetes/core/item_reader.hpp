// Reads the response to a list from its chunks, an object at a time.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/unit_reader.hpp"

namespace bellows::kubernetes {

/// The metadata of a list.
struct ListMetadata {
  std::string resource_version;  ///< a watch from here misses nothing
  std::string continue_token;    ///< token of the next page; empty: this was the last one
  std::optional<std::int64_t> remaining_items;
};

/// Parses the body `{"metadata": {...}, "items": [...]}`. It holds one object at a time, pruned to
/// its fields; other fields take no memory. Chunks may be cut anywhere. After an error the reader
/// is finished: later calls return it again. Owner: one request.
class ItemReader {
 public:
  /// Receives an object. `item` is valid during the call only. If it returns an error, this one
  /// object cannot be used: it is passed to `rejected`, as is an object larger than
  /// kMaxObjectBytes, and reading continues.
  using OnItem = std::function<Result<void>(const boost::json::object& item)>;
  using OnRejected = std::function<void(const Error& error)>;

  ItemReader(const FieldSet& fields, OnItem on_item, OnRejected on_rejected);

  /// Adds a chunk. Returns kMalformed if the bytes are not JSON, or not a list.
  Result<void> feed(std::string_view chunk) { return units_.feed(chunk); }
  /// Ends the body. Returns kMalformed if it is incomplete, or has no items.
  Result<ListMetadata> finish();

 private:
  Result<void> take_list(const boost::json::object& list);

  OnItem on_item_;
  std::optional<ListMetadata> metadata_;
  UnitReader units_;
};

/// Returns the objects of a whole list. One that cannot be used fails it: nothing is overlooked.
template <class T>
Result<std::vector<T>> read_list(std::string_view body) {
  std::vector<T> objects;
  std::optional<Error> unusable;
  ItemReader reader(
      T::fields(),
      [&](const boost::json::object& item) -> Result<void> {
        BELLOWS_TRY(T object, T::from(item));
        objects.push_back(std::move(object));
        return {};
      },
      [&](const Error& error) { unusable = error; });
  BELLOWS_CHECKED(reader.feed(body));
  BELLOWS_CHECKED(reader.finish());
  if (unusable) return fail(*unusable);
  return objects;
}

}  // namespace bellows::kubernetes
