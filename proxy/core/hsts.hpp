// Strict-Transport-Security (RFC 6797): browsers use TLS alone for a host. Pure.
#pragma once

#include <chrono>
#include <string>

#include "http/core/head.hpp"
#include "proxy/core/local_reply.hpp"

namespace bellows::proxy {

/// Appends the line, with CRLF, to those that are sent with a response to a caller by TLS, unless
/// the response has one: its app knows more, such as which hosts there are below its name. Nothing
/// if `max_age` is zero.
void append_hsts(std::chrono::seconds max_age, const http::Fields& response, std::string& lines);
void append_hsts(std::chrono::seconds max_age, LocalReply& reply);

}  // namespace bellows::proxy
