// The streams of one HTTP/2 connection and their handles. Within http/h2/io.
// docs/decisions/http2.md describes the ownership and lifetimes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace bellows::http2 {

class Multiplexer;
class Stream;

/// The handle of a stream. Code that may outlive a stream stores it instead of a pointer: the
/// session of libnghttp2, lists of work. After the stream's destruction a look-up always fails,
/// because a later stream in the same place has another generation.
class StreamHandle {
 public:
  /// Makes a handle of no stream.
  StreamHandle() = default;

  bool operator==(const StreamHandle&) const = default;

  /// Returns the user data for libnghttp2, which has the size of a pointer. It is never
  /// dereferenced.
  void* to_library() const;
  static StreamHandle of_library(const void* user_data);

 private:
  friend class StreamTable;
  StreamHandle(std::uint32_t place, std::uint32_t generation)
      : place_(place), generation_(generation) {}

  std::uint32_t place_ = 0;
  std::uint32_t generation_ = 0;  // 0: no stream
};

/// The sole owner of streams. Owner: the Multiplexer. Thread: the io thread.
class StreamTable {
 public:
  StreamTable();
  ~StreamTable();
  StreamTable(const StreamTable&) = delete;
  StreamTable& operator=(const StreamTable&) = delete;

  Stream& add(Multiplexer& multiplexer, bool is_server, std::int32_t id);
  /// Returns nullptr if the stream is destroyed.
  Stream* find(StreamHandle handle) const;
  /// Destroys the stream. find() fails from the start of its destructor on.
  void remove(StreamHandle handle);
  bool is_empty() const { return size_ == 0; }

  /// Calls `call` for each stream; it may add streams, and remove any.
  template <class Call>
  void for_each(Call call) const {
    for (std::size_t place = 0; place < places_.size(); ++place) {
      if (Stream* const stream = places_[place].stream.get()) call(*stream);
    }
  }

 private:
  struct Place {
    std::unique_ptr<Stream> stream;
    std::uint32_t generation = 1;
  };

  std::vector<Place> places_;
  std::vector<std::uint32_t> free_;  // slots without a stream
  std::size_t size_ = 0;
};

}  // namespace bellows::http2
