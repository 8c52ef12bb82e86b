// Reads the answer to a list straight from its chunks, an object at a time.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "kubernetes/core/field_set.hpp"

namespace bellows::kubernetes {

/// What the metadata of a list says.
struct ListMetadata {
  std::string resource_version;  ///< a watch from here misses nothing
  std::string continue_token;    ///< for the next page; empty: this was the last one
  std::optional<std::int64_t> remaining_items;
};

/// The most memory of kept fields that one object may take; a larger one is skipped.
inline constexpr std::size_t kMaxObjectBytes = std::size_t{2} * 1024 * 1024;

/// Feeds on the body of `{"metadata": {...}, "items": [...]}`. Holds one object at a time, pruned
/// to its fields; what is not kept costs no memory. Chunks may be cut anywhere. Owner: one request.
/// After an error the reader is finished: later calls return it again.
class ItemReader {
 public:
  /// `item` is valid during the call only. Its error says that this one object cannot be used: it
  /// goes to `rejected`, as does an object over kMaxObjectBytes, and reading goes on.
  using OnItem = std::function<Result<void>(const boost::json::object& item)>;
  using OnRejected = std::function<void(const Error& error)>;

  ItemReader(const FieldSet& fields, OnItem on_item, OnRejected on_rejected);
  ~ItemReader();
  ItemReader(ItemReader&&) noexcept;
  ItemReader& operator=(ItemReader&&) noexcept;

  /// kMalformed: the bytes are no JSON, or no list.
  Result<void> feed(std::string_view chunk);
  /// The body is over. kMalformed: it is not whole, or has no items.
  Result<ListMetadata> finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bellows::kubernetes
