#include "http/h2/io/stream_table.hpp"

#include <bit>
#include <utility>

#include "http/h2/io/multiplexer.hpp"
#include "http/h2/io/stream.hpp"

namespace bellows::http2 {

void* StreamHandle::to_library() const {
  static_assert(sizeof(StreamHandle) == sizeof(void*), "a handle is as large as a pointer");
  return std::bit_cast<void*>(*this);
}

StreamHandle StreamHandle::of_library(const void* user_data) {
  return std::bit_cast<StreamHandle>(user_data);
}

StreamTable::StreamTable() = default;

StreamTable::~StreamTable() = default;

Stream& StreamTable::add(Multiplexer& multiplexer, bool is_server, std::int32_t id) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(places_.size()));
    places_.emplace_back();
  }
  const std::uint32_t at = free_.back();
  free_.pop_back();
  Place& place = places_[at];
  place.stream =
      std::make_unique<Stream>(multiplexer, StreamHandle(at, place.generation), is_server, id);
  ++size_;
  return *place.stream;
}

Stream* StreamTable::find(StreamHandle handle) const {
  if (handle.place_ >= places_.size()) return nullptr;
  const Place& place = places_[handle.place_];
  return place.generation == handle.generation_ ? place.stream.get() : nullptr;
}

void StreamTable::remove(StreamHandle handle) {
  if (find(handle) == nullptr) return;
  Place& place = places_[handle.place_];
  const std::unique_ptr<Stream> gone = std::move(place.stream);
  if (++place.generation == 0) place.generation = 1;
  free_.push_back(handle.place_);
  --size_;
}

}  // namespace bellows::http2
