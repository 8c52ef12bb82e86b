// Reads the response to a watch from its chunks, an event at a time.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/unit_reader.hpp"

namespace bellows::kubernetes {

enum class WatchEventType : std::uint8_t {
  kAdded,
  kModified,
  kDeleted,   ///< last state of the object
  kBookmark,  ///< an object with only its resourceVersion, and possibly annotations
  kError,     ///< a Status (status.hpp) instead of an object; the watch has ended
};

struct WatchEvent {
  WatchEventType type;
  const boost::json::object& object;  ///< valid during the call only
};

/// Parses lines `{"type": "ADDED", "object": {...}}`. Each object is pruned to its fields and to
/// those of a bookmark and a Status. Chunks may be cut anywhere. After an error the reader is
/// finished: later calls return it again. Owner: one watch.
class EventReader {
 public:
  /// Receives an event. If it returns an error, this one object cannot be used: it is passed to
  /// `rejected`, as is an object larger than kMaxObjectBytes (pruning_handler.hpp), and reading
  /// continues.
  using OnEvent = std::function<Result<void>(const WatchEvent& event)>;
  using OnRejected = std::function<void(const Error& error)>;

  EventReader(const FieldSet& fields, OnEvent on_event, OnRejected on_rejected);

  /// Adds a chunk. Returns kMalformed if the bytes are not JSON, or not an event.
  Result<void> feed(std::string_view chunk) { return units_.feed(chunk); }
  /// Returns true between two events: a watch that ends here is complete.
  bool at_boundary() const { return units_.at_boundary(); }

 private:
  Result<void> take(const boost::json::object& event);

  OnEvent on_event_;
  UnitReader units_;
};

}  // namespace bellows::kubernetes
