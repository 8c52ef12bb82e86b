// Converts the head of an HTTP/1.1 message to the pseudo-headers and fields of HTTP/2. Source: RFC
// 9113 8.2, 8.3, RFC 8441 5. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/core/head.hpp"

namespace bellows::http2 {

struct Field {
  std::string_view name;  ///< in any case; the library writes it in lower case
  std::string_view value;
  bool is_unique = false;     ///< changes with each message, so it is not indexed in HPACK's table
  bool has_own_name = false;  ///< a lower-case constant of this program, which need not be copied
};

/// Fields in order, of one message after the other. Owner: a connection.
class MessageFields {
 public:
  /// Converts a request. Connection-specific fields are dropped, `te: trailers` stays. With
  /// `is_tunnel` it is an extended CONNECT for a WebSocket.
  void set_request(const http::RequestHead& head, std::string_view scheme, bool is_tunnel);
  /// Converts a response, interim or final. With `is_tunnel`, 101 becomes 200.
  void set_response(const http::ResponseHead& head, bool is_tunnel);
  /// Converts field lines, "name: value" CRLF, and drops connection-specific ones.
  void set_trailers(std::string_view lines);
  /// Sets a response without a body: "431".
  void set_status(std::string_view status);

  /// Returns the fields: views into the head, into this object and into constants.
  std::span<const Field> all() const { return fields_; }

 private:
  void add(std::string_view name, std::string_view value) {
    Field& field = fields_.emplace_back();
    field.name = name;
    field.value = value;
    field.has_own_name = true;
  }
  void add_fields(const http::Fields& fields, const http::ConnectionOptions& connection,
                  bool is_tunnel);

  std::vector<Field> fields_;
  std::string digits_;
};

}  // namespace bellows::http2
