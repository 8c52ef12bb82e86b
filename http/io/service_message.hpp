// What the service side's server reads and writes besides bodies. Within http/io.
#pragma once

#include <string>
#include <string_view>

#include "http/core/head.hpp"
#include "http/io/message.hpp"

namespace bellows::http {

Response text_response(int status, std::string text);

/// The response to a request whose head cannot be read.
Response head_error_response(HeadFault fault, const HeadLimits& limits);
/// 413 that names the limit.
Response body_limit_response(std::size_t max_body_bytes);

/// The request without its body.
Request to_request(const RequestHead& head);
/// A request that routes.hpp may hand to a WebSocket (RFC 6455 4.1).
bool is_websocket_upgrade(const RequestHead& head);

/// How a response goes out.
struct ResponseFraming {
  int minor_version = 1;    ///< of the request
  bool keep_alive = false;  ///< Connection: close otherwise
  bool omit_body = false;   ///< the response to HEAD: its length stays
};

/// The head of a response of server-sent events; the connection ends with them.
std::string events_head(int minor_version);

/// Head and body. 204 and 304 have neither body nor length.
std::string serialize(const Response& response, ResponseFraming framing);

/// What keeps a handler's response from being sent, or empty.
std::string defect_of(const Response& response);

}  // namespace bellows::http
