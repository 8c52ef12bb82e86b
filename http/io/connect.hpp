// Opening a connection to an Endpoint, for the clients of this room.
#pragma once

#include "base/endpoint.hpp"
#include "http/io/net.hpp"

namespace bellows::http {

/// Looks the host up, tries its addresses in order, and gives the first connection. Errors name the
/// endpoint, are upstream's and retryable: kRefused (nobody listens, or no such Unix socket),
/// kNotFound (no such host), kTimeout at `deadline`, otherwise by errno.
Awaitable<Result<StreamSocket>> connect_to(Endpoint endpoint, TimePoint deadline);

}  // namespace bellows::http
