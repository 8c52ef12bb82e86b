// The caller's address for the app: Forwarded (RFC 7239) and X-Forwarded-*. Pure.
#pragma once

#include <string>
#include <string_view>

#include "http/core/head.hpp"

namespace bellows::proxy {

/// Appends the lines Forwarded, X-Forwarded-For, -Proto and -Host: the received values plus the
/// client. If there is no Forwarded, it is made from the received X-Forwarded-* (knative.md 5.6),
/// of a long chain from the 32 nearest hops; a value over 255 bytes becomes unknown. Adds at most
/// 10 KB to a head. `trusts_client` false: the received values are dropped, and the lines name the
/// client alone. `scheme`: by which it has connected, "http" or "https".
void append_forwarding_lines(const http::RequestHead& head, std::string_view client_address,
                             std::string_view scheme, bool trusts_client, std::string& out);

/// True if the client itself speaks TLS: to this program (`scheme`), or to a trusted proxy before
/// it, which says so in X-Forwarded-Proto or, without that, in the first element of Forwarded.
bool is_https(const http::Fields& received, std::string_view scheme, bool trusts_client);

/// Appends one node in the syntax of Forwarded: 192.0.2.1, "[2001:db8::1]", "192.0.2.1:8080"; an
/// address that cannot be written becomes unknown.
void append_node(std::string_view address, std::string& out);

}  // namespace bellows::proxy
