// Reads the heads of responses, interim (1xx) and final, from an upstream connection.
#pragma once

#include <cstdint>
#include <span>

#include "http/core/head.hpp"
#include "http/io/connection.hpp"

namespace bellows::proxy {

/// Reactor, connection and limits outlive it. It holds memory only while a head has begun to
/// arrive, and then for the bytes that arrived with it until release(). Owner: a relay. Thread: the
/// io thread.
class ResponseReader {
 public:
  enum class Next : std::uint8_t {
    kIncomplete,  ///< call read()
    kInterim,     ///< head() is an interim one: relay it, then call drop_head()
    kFinal,       ///< head() is the final one, or 101
    kFault,       ///< see fault()
  };

  ResponseReader(http::Reactor& reactor, http::Connection& from, const http::HeadLimits& limits)
      : reactor_(reactor), from_(from), limits_(limits), parser_(limits) {}

  /// Reads once from the connection.
  http::IoResult read();
  /// Parses the next head. Repairs it where RFC 9112 requires that of a proxy.
  Next next();
  /// Drops an interim head.
  void drop_head();

  /// Returns the head that next() found. A handler's hook must not change it.
  const http::ResponseHead& head() const { return head_; }
  http::HeadFault fault() const { return fault_; }
  /// Returns the bytes that were read after the final head: the beginning of the body.
  std::span<char> body_begin() { return {block_.data() + head_.size, used_ - head_.size}; }

  /// Returns true if some bytes of a head have been read, but not the whole head.
  bool is_in_head() const { return used_ > 0; }
  /// Returns the bytes read since the start, interim heads included.
  std::uint64_t bytes() const { return bytes_; }
  /// Releases the memory. The result of body_begin() becomes invalid.
  void release() { block_.release(); }

 private:
  void grow_block();

  http::Reactor& reactor_;
  http::Connection& from_;
  const http::HeadLimits& limits_;
  http::HeadParser parser_;
  http::ResponseHead head_;
  http::HeadFault fault_{};
  http::Block block_;  // the head, then the beginning of the body
  std::size_t used_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace bellows::proxy
