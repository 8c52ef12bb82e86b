// The streams of one connection of HTTP/2, and the names by which others find them. Within
// http/h2/io. Who holds what, and for how long: docs/decisions/http2.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace bellows::http2 {

class Multiplexer;
class Stream;

/// The name of a stream. Whatever may outlive a stream keeps this instead of a pointer: the session
/// of libnghttp2, lists of work. Once the stream is destroyed it finds nothing, for ever: a later
/// stream in the same place has another generation.
class StreamHandle {
 public:
  /// Of no stream.
  StreamHandle() = default;

  bool operator==(const StreamHandle&) const = default;

  /// As the user data of libnghttp2, which is as large as a pointer. It is never dereferenced.
  void* to_library() const;
  static StreamHandle of_library(const void* user_data);

 private:
  friend class StreamTable;
  StreamHandle(std::uint32_t place, std::uint32_t generation)
      : place_(place), generation_(generation) {}

  std::uint32_t place_ = 0;
  std::uint32_t generation_ = 0;  // 0: of no stream
};

/// The sole owner of streams. Owner: the Multiplexer. Thread: the io thread.
class StreamTable {
 public:
  StreamTable();
  ~StreamTable();
  StreamTable(const StreamTable&) = delete;
  StreamTable& operator=(const StreamTable&) = delete;

  Stream& add(Multiplexer& multiplexer, bool is_server, std::int32_t id);
  /// nullptr: it is destroyed.
  Stream* find(StreamHandle handle) const;
  /// Destroys it. Nothing finds it from the begin of its destructor on.
  void remove(StreamHandle handle);
  bool is_empty() const { return size_ == 0; }

  /// `call` may add streams, and remove any.
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
  std::vector<std::uint32_t> free_;  // places without a stream
  std::size_t size_ = 0;
};

}  // namespace bellows::http2
