// How many hops a TRACE or OPTIONS may still take (RFC 9110 7.6.2). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/core/head.hpp"
#include "proxy/core/error_response.hpp"

namespace bellows::proxy {

/// The methods whose hops are counted. For all others Max-Forwards is a field like any other, and
/// their cost is one comparison.
inline bool counts_hops(const http::RequestHead& head) {
  const char first = head.method.front();
  return (first == 'O' || first == 'T') && (head.method == "OPTIONS" || head.method == "TRACE");
}

/// Whether a field of such a request is the count; it goes on with one less.
bool is_max_forwards(std::string_view name);

/// What it may still take behind this hop; nullopt: no bound. Of a request that goes on.
std::optional<std::uint32_t> hops_behind(const http::RequestHead& head);

/// The answer to a request that ends here: none may be taken any more (OPTIONS: 204; TRACE: 405,
/// since to send a request back would show what proxies before us put into it), or the count is
/// none (400). nullopt: it goes on.
std::optional<Answer> answer_as_last_hop(const http::RequestHead& head);

}  // namespace bellows::proxy
