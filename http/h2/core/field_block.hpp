// Checks one field block of HTTP/2 (the pseudo-headers and fields of a HEADERS frame) field by
// field and writes it as the head, or the trailers, of an HTTP/1.1 message. Fields that RFC 9113 8
// forbids are never written: docs/decisions/http2.md. Pure.
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

/// Facts of a head that determine its body.
struct HeadFacts {
  std::optional<std::uint64_t> content_length;
  bool is_chunked = false;  ///< chunked in the text; false: a length, or no body
  bool is_tunnel = false;   ///< an extended CONNECT, as an upgrade to a WebSocket
  int status = 0;           ///< responses only
};

/// The request that a response answers.
struct ResponseTo {
  bool is_head = false;         ///< the request's method is HEAD: there is no body
  bool is_tunnel = false;       ///< an extended CONNECT: 2xx becomes 101
  std::string websocket_key{};  ///< of the request in its HTTP/1.1 form
};

/// Converts one block after the other. Owner: a connection.
class FieldBlock {
 public:
  enum class Kind : std::uint8_t { kRequest, kResponse, kTrailers };

  explicit FieldBlock(const Limits& limits) : limits_(limits) {}

  void begin(Kind kind);
  void add(std::string_view name, std::string_view value);
  /// Records a field that cannot be read.
  void reject(MessageFault fault) { note(fault); }
  /// Returns the first fault of the added fields. Nothing is written after it.
  std::optional<MessageFault> fault() const { return fault_; }
  /// Returns true if the block exceeds `times` the limits of bytes or fields, including fields
  /// after a fault.
  bool is_over(std::uint32_t times) const {
    return bytes_ > std::uint64_t{times} * most_bytes() ||
           count_ > std::uint64_t{times} * limits_.header_fields;
  }

  /// Completes a request: text() is an HTTP/1.1 request, with `websocket_key` if it is an upgrade.
  /// `ends`: the stream ends with it.
  std::optional<MessageFault> end_request(bool ends, std::string_view websocket_key);
  std::optional<MessageFault> end_response(bool ends, const ResponseTo& to);
  /// Completes trailers: text() is field lines.
  std::optional<MessageFault> end_trailers(bool ends);

  /// Returns the text, which is valid until the next begin().
  std::string_view text() const { return text_; }
  const HeadFacts& facts() const { return facts_; }
  /// Sets `head` as parsing text() would, with views into it; returns false if the text has to be
  /// parsed. All parts of an ordinary request or final response are known, because it was just
  /// written from checked fields.
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

  /// A line of text_, or of fields_ while fields arrive.
  struct Line {
    std::size_t begin;
    std::size_t name_size;
    http::FieldId id;
  };

  /// Returns the limit of names, values, and 32 bytes for each field (RFC 9113 6.5.2).
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
  std::uint32_t seen_ = 0;  // bit set of pseudo-headers
  bool has_host_ = false;
  bool has_fields_ = false;  // has fields that are not pseudo-headers
  bool is_ordinary_ = true;  // see describe()
};

}  // namespace bellows::http2
