// Connecting to an Endpoint with a socket of Asio, for the clients of this room. The data path
// connects in its pool (proxy/io/upstream_pool.hpp).
#pragma once

#include "base/endpoint.hpp"
#include "http/io/net.hpp"

namespace bellows::http {

/// Resolves the host, tries its addresses in order, and returns the first connection. Errors name
/// the endpoint, are upstream's and retryable: kRefused (no process listens, or no such Unix
/// socket), kNotFound (no such host), kTimeout at `deadline`, otherwise by errno.
Awaitable<Result<StreamSocket>> connect_to(Endpoint endpoint, TimePoint deadline);

}  // namespace bellows::http
