// Strict-Transport-Security (RFC 6797): makes browsers use only TLS for a host. Pure.
#pragma once

#include <chrono>
#include <string>

#include "http/core/head.hpp"
#include "proxy/core/local_reply.hpp"

namespace bellows::proxy {

/// Appends the line, with CRLF, to the lines of a response to a caller by TLS. It appends nothing
/// if the response has one, because its app knows more, such as which hosts are below its name, or
/// if `max_age` is zero.
void append_hsts(std::chrono::seconds max_age, const http::Fields& response, std::string& lines);
void append_hsts(std::chrono::seconds max_age, LocalReply& reply);

}  // namespace bellows::proxy
