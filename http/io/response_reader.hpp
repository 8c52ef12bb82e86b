// Reads the responses of one client connection, with the head reader of the data path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/core/chunk_scanner.hpp"
#include "http/core/framing.hpp"
#include "http/core/head.hpp"
#include "http/io/byte_stream.hpp"
#include "http/io/message.hpp"

namespace bellows::http {

/// Reads one response after the other: its head, then its body in chunks until an empty one. Errors
/// name the peer and are of the upstream side: kReset (closed before the end), kMalformed,
/// kTooLarge, kCancelled. The connection is not usable after an error. Owner: the connection.
/// Thread: the io thread.
class ResponseReader {
 public:
  /// `stream` must outlive it.
  ResponseReader(ByteStream& stream, std::string peer, std::size_t max_head_bytes);

  /// Reads the head of the next final response, after any interim ones. `method` is the request's.
  /// The body of the result is empty.
  Awaitable<Result<Response>> read_head(std::string_view method);

  /// Returns the next bytes of the body as they arrive: at least one, or none at its end. They are
  /// valid until the next call.
  Awaitable<Result<std::string_view>> read_chunk();

  /// Returns the rest of the body; kTooLarge if it is larger than `max_bytes`, at once if the head
  /// announces that.
  Awaitable<Result<std::string>> read_body(std::size_t max_bytes);

  /// Returns true once the body has ended, no further byte has arrived, and the server keeps the
  /// connection.
  bool may_reuse() const { return is_whole_ && keeps_alive_ && position_ == input_.size(); }
  /// Returns true if no byte of the response has arrived: the server may not have seen the request.
  bool has_nothing() const { return is_untouched_; }

 private:
  std::string_view rest() const { return std::string_view(input_).substr(position_); }
  Response take_head();
  Result<std::string_view> buffered_chunk();
  Awaitable<boost::system::error_code> read_more();
  Error read_error(const boost::system::error_code& error) const;
  Error too_large(std::size_t max_bytes) const;

  ByteStream& stream_;
  std::string peer_;
  std::string input_;         // received bytes
  std::size_t position_ = 0;  // offset of the first byte not consumed
  HeadParser parser_;
  ResponseHead head_;  // views into input_
  BodyFraming framing_;
  std::uint64_t left_ = 0;              // rest of a body with a length
  std::optional<ChunkScanner> chunks_;  // state of a chunked body
  bool keeps_alive_ = false;
  bool is_whole_ = false;
  bool is_untouched_ = true;
};

}  // namespace bellows::http
