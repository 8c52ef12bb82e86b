// Reads the heads of responses, interim (1xx) and final, from an upstream connection.
#pragma once

#include <cstdint>
#include <span>

#include "http/core/head.hpp"
#include "http/io/connection.hpp"

namespace bellows::proxy {

/// Owner: a relay. Thread: the io thread. Reactor, connection and limits outlive it. Holds memory
/// only while a head has begun to arrive, and then for what arrived with it until release().
class ResponseReader {
 public:
  enum class Next : std::uint8_t {
    kIncomplete,  ///< read() more
    kInterim,     ///< head() is an interim one: relay it, then call drop_head()
    kFinal,       ///< head() is the final one, or 101
    kFault,       ///< see fault()
  };

  ResponseReader(http::Reactor& reactor, http::Connection& from, const http::HeadLimits& limits)
      : reactor_(reactor), from_(from), limits_(limits), parser_(limits) {}

  /// Reads once from the connection.
  http::IoResult read();
  /// Parses the next head. Repairs it where RFC 9112 tells a proxy to.
  Next next();
  /// Drops an interim head.
  void drop_head();

  /// The head that next() found. The hook of a handler may not change it.
  const http::ResponseHead& head() const { return head_; }
  http::HeadFault fault() const { return fault_; }
  /// What was read after the final head: the begin of the body.
  std::span<char> body_begin() { return {block_.data() + head_.size, used_ - head_.size}; }

  /// Some bytes of a head have been read, and not the whole head.
  bool is_in_head() const { return used_ > 0; }
  /// Bytes read since the start: interim heads included.
  std::uint64_t bytes() const { return bytes_; }
  /// Returns the memory. What body_begin() returned is void.
  void release() { block_.release(); }

 private:
  void grow_block();

  http::Reactor& reactor_;
  http::Connection& from_;
  const http::HeadLimits& limits_;
  http::HeadParser parser_;
  http::ResponseHead head_;
  http::HeadFault fault_{};
  http::Block block_;  // the head, then the begin of the body
  std::size_t used_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace bellows::proxy
