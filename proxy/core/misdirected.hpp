// Requests that came over a connection that is for another host (RFC 9110 15.5.20). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/core/head.hpp"
#include "proxy/core/local_reply.hpp"

namespace bellows::proxy {

/// The host of a request, without port and brackets, if it is another one than `server_name`, which
/// the caller named in its TLS handshake; so the certificate that it was shown has to be for it
/// too. nullopt: the same; it named none, as a caller of an IP address; or it is a proxy that
/// `is_trusted` and says (Forwarded, X-Forwarded-*) for whom it asks.
std::optional<std::string_view> other_host(const http::RequestHead& head,
                                           std::string_view server_name, bool is_trusted);

/// 421: the caller may try another connection.
LocalReply misdirected_reply(std::string_view host, std::string_view server_name);

}  // namespace bellows::proxy
