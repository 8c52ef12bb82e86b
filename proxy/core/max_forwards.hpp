// Max-Forwards: the remaining hops of a TRACE or OPTIONS (RFC 9110 7.6.2). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/core/head.hpp"
#include "proxy/core/local_reply.hpp"

namespace bellows::proxy {

/// Returns true for the methods whose hops are counted. For other methods Max-Forwards is an
/// ordinary field, and this check costs one comparison.
inline bool counts_hops(const http::RequestHead& head) {
  const char first = head.method.front();
  return (first == 'O' || first == 'T') && (head.method == "OPTIONS" || head.method == "TRACE");
}

/// Returns true if the field is the count, which is forwarded decremented.
bool is_max_forwards(std::string_view name);

/// Returns the count to forward for a request that is forwarded; nullopt without a limit.
std::optional<std::uint32_t> remaining_hops(const http::RequestHead& head);

/// Returns the reply to a request that must not be forwarded: its count is 0 (OPTIONS: 204; TRACE:
/// 405, because an echo would reveal what earlier proxies added), or is not a number (400). Returns
/// nullopt if it is forwarded.
std::optional<LocalReply> local_reply_at_last_hop(const http::RequestHead& head);

}  // namespace bellows::proxy
