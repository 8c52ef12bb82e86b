// The caller's address for the app: Forwarded (RFC 7239) and X-Forwarded-*. Pure.
#pragma once

#include <string>
#include <string_view>

#include "http/core/head.hpp"

namespace bellows::proxy {

/// Appends the lines Forwarded, X-Forwarded-For, -Proto and -Host: what came in, plus the client.
/// Without a Forwarded it is made from the X-Forwarded-* that came (knative.md 5.6), of a long
/// chain from the 32 hops nearest to us; a value over 255 bytes is unknown. Adds at most 10 KB to a
/// head.
void append_forwarding_lines(const http::RequestHead& head, std::string_view client_address,
                             std::string& out);

/// One node as Forwarded wants it: 192.0.2.1, "[2001:db8::1]", "192.0.2.1:8080"; what cannot be
/// written becomes unknown.
void append_node(std::string_view address, std::string& out);

}  // namespace bellows::proxy
