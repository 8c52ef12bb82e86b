// Detects requests on a connection for another host (RFC 9110 15.5.20). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/core/head.hpp"
#include "proxy/core/local_reply.hpp"

namespace bellows::proxy {

/// Returns the host of a request, without port and brackets, if it differs from `server_name`, the
/// name in the caller's TLS handshake. The presented certificate must then be valid for that host
/// too. Returns nullopt if they are equal, if the caller gave no name, as with an IP address, or if
/// it is a proxy that `is_trusted` and that sends Forwarded or X-Forwarded-*.
std::optional<std::string_view> other_host(const http::RequestHead& head,
                                           std::string_view server_name, bool is_trusted);

/// Makes a 421: the caller may retry on another connection.
LocalReply misdirected_reply(std::string_view host, std::string_view server_name);

}  // namespace bellows::proxy
