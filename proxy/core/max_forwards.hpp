// How many more hops a TRACE or OPTIONS may be forwarded (RFC 9110 7.6.2). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/core/head.hpp"
#include "proxy/core/local_reply.hpp"

namespace bellows::proxy {

/// True for the methods whose hops are counted. For other methods Max-Forwards is an ordinary
/// field, and this costs one comparison.
inline bool counts_hops(const http::RequestHead& head) {
  const char first = head.method.front();
  return (first == 'O' || first == 'T') && (head.method == "OPTIONS" || head.method == "TRACE");
}

/// True if the field is the count, which is forwarded decremented.
bool is_max_forwards(std::string_view name);

/// The count to forward; nullopt: no limit. For a request that is forwarded.
std::optional<std::uint32_t> remaining_hops(const http::RequestHead& head);

/// The reply to a request that must not be forwarded: its count is 0 (OPTIONS: 204; TRACE: 405,
/// because an echo would show what earlier proxies added), or is not a number (400). nullopt: it is
/// forwarded.
std::optional<LocalReply> local_reply_at_last_hop(const http::RequestHead& head);

}  // namespace bellows::proxy
