// What has come of a message of HTTP/2 and was not read yet, as HTTP/1.1 text: the head, the body
// in its framing, the trailers. Pure.
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
  /// An interim head.
  void add_interim(std::string_view text) { text_.append(text); }
  /// Bytes of heads that wait.
  std::size_t waiting_heads() const { return text_.size(); }
  /// The head, and what follows from it for the body. `has_body`: false for a response that has
  /// none (HEAD, 204, 304).
  void add_head(std::string_view text, const HeadFacts& facts, bool has_body);
  bool has_head() const { return has_head_; }

  /// Bytes of DATA. A fault: more of them than content-length says.
  std::optional<MessageFault> add_data(std::string_view data);
  /// The stream ends, with these lines as trailers. A fault: fewer bytes than content-length says.
  std::optional<MessageFault> end(std::string_view trailers);
  bool has_ended() const { return has_ended_; }

  /// The data of a tunnel are read from now on: the other side has taken it.
  void open_tunnel() { is_tunnel_open_ = true; }

  /// Moves text to the reader; 0 if there is none now.
  std::size_t read(char* to, std::size_t size);
  bool has_text() const;
  /// Once it has ended: how many bytes there are to read, at most. Else 0.
  std::size_t rest() const;
  /// How many bytes of DATA may wait at once, if the peer may send `window` of them.
  std::size_t most_unread(std::size_t window) const;
  /// All of the message was read.
  bool is_read() const { return has_ended_ && !has_text(); }
  /// Bytes of DATA that were read since the last call: so much more may come.
  std::size_t take_read_data();
  /// Bytes of DATA that wait.
  std::size_t waiting() const { return data_.size(); }
  /// Drops all that waits. Nothing more is read.
  void clear();

 private:
  enum class Framing : std::uint8_t { kNone, kLength, kChunked, kRaw };

  std::size_t read_data(char* to, std::size_t size);
  void make_chunk(std::size_t most);
  bool may_read_data() const { return framing_ != Framing::kRaw || is_tunnel_open_; }

  ByteQueue text_;  // before the data; at the end what follows them
  ByteQueue data_;
  std::string trailers_;
  std::uint64_t left_ = 0;  // of content-length
  std::uint32_t read_data_ = 0;
  Framing framing_ = Framing::kNone;
  bool has_head_ = false;
  bool has_ended_ = false;
  bool has_written_end_ = false;  // the last chunk is in text_
  bool is_tunnel_open_ = false;
};

}  // namespace bellows::http2
