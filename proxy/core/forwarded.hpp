// The caller's address for the app: Forwarded (RFC 7239) and X-Forwarded-*. Pure.
#pragma once

#include <string>
#include <string_view>

#include "http/core/head.hpp"

namespace bellows::proxy {

/// Appends the lines Forwarded, X-Forwarded-For, -Proto and -Host: the received values plus the
/// client. A missing Forwarded is made from the received X-Forwarded-* (knative.md 5.6), of a long
/// chain from the 32 nearest hops; a value longer than 255 bytes becomes unknown. It adds at most
/// 10 KB to a head. Without `trusts_client` the received values are dropped, and the lines name
/// only the client. `scheme` is that of the client's connection, "http" or "https".
void append_forwarding_lines(const http::RequestHead& head, std::string_view client_address,
                             std::string_view scheme, bool trusts_client, std::string& out);

/// Returns true if the client itself uses TLS: to this program (`scheme`), or to a trusted proxy
/// before it, which states this in X-Forwarded-Proto or, without that, in the first element of
/// Forwarded.
bool is_https(const http::Fields& received, std::string_view scheme, bool trusts_client);

/// Appends one node in the syntax of Forwarded: 192.0.2.1, "[2001:db8::1]", "192.0.2.1:8080"; an
/// address without a valid form becomes unknown.
void append_node(std::string_view address, std::string& out);

}  // namespace bellows::proxy
