// Reads the answer to a watch straight from its chunks, an event at a time.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "kubernetes/core/field_set.hpp"

namespace bellows::kubernetes {

enum class WatchEventType : std::uint8_t {
  kAdded,
  kModified,
  kDeleted,   ///< the object as it was last
  kBookmark,  ///< an object with nothing but its resourceVersion, perhaps with annotations
  kError,     ///< a Status (status.hpp) instead of an object; the watch is over
};

struct WatchEvent {
  WatchEventType type;
  const boost::json::object& object;  ///< valid during the call only
};

/// Feeds on lines `{"type": "ADDED", "object": {...}}`. Each object is pruned to its fields and to
/// those of a bookmark and a Status. Chunks may be cut anywhere. Owner: one watch. After an error
/// the reader is finished: later calls return it again.
class EventReader {
 public:
  /// An error of `on_event` says that this one object cannot be used: it goes to `rejected`, as
  /// does an object over kMaxObjectBytes (item_reader.hpp), and reading goes on.
  using OnEvent = std::function<Result<void>(const WatchEvent& event)>;
  using OnRejected = std::function<void(const Error& error)>;

  EventReader(const FieldSet& fields, OnEvent on_event, OnRejected on_rejected);
  ~EventReader();
  EventReader(EventReader&&) noexcept;
  EventReader& operator=(EventReader&&) noexcept;

  /// kMalformed: the bytes are no JSON, or no event.
  Result<void> feed(std::string_view chunk);
  /// True between two events: a watch that ends here was not cut.
  bool at_boundary() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bellows::kubernetes
