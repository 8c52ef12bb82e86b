// The received and unread part of an HTTP/2 message as HTTP/1.1 text: the head, the body in its
// framing, the trailers. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/h2/core/byte_queue.hpp"
#include "http/h2/core/field_block.hpp"
#include "http/h2/core/message_fault.hpp"

namespace bellows::http2 {

/// Owner: a stream.
class Inbox {
 public:
  /// Adds an interim head.
  void add_interim(std::string_view text) { text_.append(text); }
  /// Returns the bytes of heads that were not read yet.
  std::size_t waiting_heads() const { return text_.size(); }
  /// Adds the head and its facts about the body. `has_body` is false for a response without one
  /// (HEAD, 204, 304).
  void add_head(std::string_view text, const HeadFacts& facts, bool has_body);
  bool has_head() const { return has_head_; }

  /// Adds bytes of DATA. Returns a fault if they exceed content-length.
  std::optional<MessageFault> add_data(std::string_view data);
  /// Ends the message with these lines as trailers. Returns a fault if there were fewer bytes than
  /// content-length.
  std::optional<MessageFault> end(std::string_view trailers);
  bool has_ended() const { return has_ended_; }

  /// Makes the data of a tunnel readable, after the other side has accepted it.
  void open_tunnel() { is_tunnel_open_ = true; }

  /// Moves text to the reader; returns 0 if there is none now.
  std::size_t read(char* to, std::size_t size);
  bool has_text() const;
  /// Returns the maximum number of bytes left to read once the message has ended, else 0.
  std::size_t rest() const;
  /// Returns the maximum number of unread bytes of DATA, if the peer may send `window` of them.
  std::size_t most_unread(std::size_t window) const;
  /// Returns true if the whole message was read.
  bool is_read() const { return has_ended_ && !has_text(); }
  /// Returns the bytes of DATA that were read since the last call, for which the window may be
  /// opened again.
  std::size_t take_read_data();
  /// Returns the bytes of DATA that were not read yet.
  std::size_t waiting() const { return data_.size(); }
  /// Discards all unread bytes. Later reads return nothing.
  void clear();

 private:
  enum class Framing : std::uint8_t { kNone, kLength, kChunked, kRaw };

  std::size_t read_data(char* to, std::size_t size);
  void make_chunk(std::size_t most);
  bool may_read_data() const { return framing_ != Framing::kRaw || is_tunnel_open_; }

  ByteQueue text_;  // text before the data; at the end, text after them
  ByteQueue data_;
  std::string trailers_;
  std::uint64_t left_ = 0;  // rest of content-length
  std::uint32_t read_data_ = 0;
  Framing framing_ = Framing::kNone;
  bool has_head_ = false;
  bool has_ended_ = false;
  bool has_written_end_ = false;  // the last chunk is in text_
  bool is_tunnel_open_ = false;
};

}  // namespace bellows::http2
