// Reads and writes the parts of messages besides bodies for the service server. Within http/io.
#pragma once

#include <string>
#include <string_view>

#include "http/core/head.hpp"
#include "http/io/message.hpp"

namespace bellows::http {

Response text_response(int status, std::string text);

/// Returns the response to a request whose head cannot be read.
Response head_error_response(HeadFault fault, const HeadLimits& limits);
/// Returns a 413 that names the limit.
Response body_limit_response(std::size_t max_body_bytes);

/// Returns the request without its body.
Request to_request(const RequestHead& head);
/// Returns true if routes.hpp may pass the request to a WebSocket (RFC 6455 4.1).
bool is_websocket_upgrade(const RequestHead& head);

/// Framing of a response.
struct ResponseFraming {
  int minor_version = 1;    ///< version of the request
  bool keep_alive = false;  ///< false: Connection: close
  bool omit_body = false;   ///< response to HEAD: its length stays
};

/// Returns the head of a response of server-sent events; the connection ends with them.
std::string events_head(int minor_version);

/// Serializes head and body. 204 and 304 have neither body nor length.
std::string serialize(const Response& response, ResponseFraming framing);

/// Returns why a handler's response cannot be sent, or an empty text.
std::string defect_of(const Response& response);

}  // namespace bellows::http
