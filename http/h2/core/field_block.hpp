// One field block of HTTP/2 (the pseudo-headers and fields of a HEADERS frame) checked field by
// field and written as the head, or the trailers, of an HTTP/1.1 message. Nothing that RFC 9113 8
// forbids becomes text: docs/decisions/http2.md. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/core/head.hpp"
#include "http/h2/core/limits.hpp"
#include "http/h2/core/message_fault.hpp"

namespace bellows::http {
class WrittenFields;
}

namespace bellows::http2 {

/// What follows from a head for its body.
struct HeadFacts {
  std::optional<std::uint64_t> content_length;
  bool is_chunked = false;  ///< the text says so; else a length, or no body at all
  bool is_tunnel = false;   ///< an extended CONNECT, as an upgrade to a WebSocket
  int status = 0;           ///< of a response
};

/// What a response is to.
struct ResponseTo {
  bool is_head = false;         ///< the request's method is HEAD: there is no body
  bool is_tunnel = false;       ///< an extended CONNECT: 2xx becomes 101
  std::string websocket_key{};  ///< of the request as it was in HTTP/1.1
};

/// Owner: a connection, for one block after the other.
class FieldBlock {
 public:
  enum class Kind : std::uint8_t { kRequest, kResponse, kTrailers };

  explicit FieldBlock(const Limits& limits) : limits_(limits) {}

  void begin(Kind kind);
  void add(std::string_view name, std::string_view value);
  /// A field that cannot be read at all.
  void reject(MessageFault fault) { note(fault); }
  /// Of what was added. Nothing is written after the first one.
  std::optional<MessageFault> fault() const { return fault_; }
  /// More than so many times the limits of bytes or fields, those after a fault included.
  bool is_over(std::uint32_t times) const {
    return bytes_ > std::uint64_t{times} * most_bytes() ||
           count_ > std::uint64_t{times} * limits_.header_fields;
  }

  /// The head is whole: text() is an HTTP/1.1 request with `websocket_key` in case it is an
  /// upgrade. `ends`: the stream ends with it.
  std::optional<MessageFault> end_request(bool ends, std::string_view websocket_key);
  std::optional<MessageFault> end_response(bool ends, const ResponseTo& to);
  /// text() is field lines.
  std::optional<MessageFault> end_trailers(bool ends);

  /// Valid until the next begin().
  std::string_view text() const { return text_; }
  const HeadFacts& facts() const { return facts_; }
  /// Fills in what reading text() would find, with views into it; false: it has to be read. Of an
  /// ordinary request or final response everything is known, because it was written just now from
  /// fields that were checked.
  bool describe(http::RequestHead& head) const;
  bool describe(http::ResponseHead& head) const;
  bool is_head_request() const { return method_ == "HEAD"; }
  bool asks_for_tunnel() const { return has(Pseudo::kProtocol); }

 private:
  enum class Pseudo : std::uint8_t {
    kMethod,
    kScheme,
    kAuthority,
    kPath,
    kProtocol,
    kStatus,
    kUnknown,
  };

  /// A line of text_; while fields come, of fields_.
  struct Line {
    std::size_t begin;
    std::size_t name_size;
    http::FieldId id;
  };

  /// Names, values, and 32 bytes for each field (RFC 9113 6.5.2).
  std::uint32_t most_bytes() const {
    return kind_ == Kind::kTrailers ? limits_.trailer_bytes : limits_.header_bytes;
  }
  void note(MessageFault fault) {
    if (!fault_) fault_ = fault;
  }
  static Pseudo pseudo_of(std::string_view name);
  void add_pseudo(std::string_view name, std::string_view value);
  void add_field(std::string_view name, std::string_view value);
  void add_host(std::string_view value);
  void add_length(std::string_view value);
  void add_line(http::FieldId id, std::string_view name, std::string_view value);
  bool has(Pseudo pseudo) const { return (seen_ & (1U << static_cast<unsigned>(pseudo))) != 0; }
  std::optional<MessageFault> request_fault() const;
  std::optional<MessageFault> target_fault() const;
  void begin_line(http::FieldId id, std::string_view name);
  void note_line(std::size_t begin, std::string_view name, http::FieldId id) {
    Line& line = lines_.emplace_back();
    line.begin = begin;
    line.name_size = name.size();
    line.id = id;
  }
  void write_fields();
  void note_ordinary_request();
  void describe_fields(http::WrittenFields& fields) const;
  void write_length(std::uint64_t length);
  void write_framing(bool ends);

  const Limits& limits_;
  Kind kind_ = Kind::kRequest;
  std::string text_;
  std::string fields_;  // lines, until the start line is known
  std::string cookies_;
  std::string method_;
  std::string path_;
  std::string authority_;
  std::string host_;
  std::string protocol_;
  std::vector<Line> lines_;
  HeadFacts facts_;
  std::optional<std::uint64_t> written_length_;
  std::optional<MessageFault> fault_;
  std::uint64_t bytes_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t seen_ = 0;  // pseudo-headers
  bool has_host_ = false;
  bool has_fields_ = false;  // other than pseudo-headers
  bool is_ordinary_ = true;  // see describe()
};

}  // namespace bellows::http2
