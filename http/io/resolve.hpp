// Host names to addresses.
#pragma once

#include "http/io/address.hpp"
#include "http/io/net.hpp"

namespace bellows::http {

/// The first address of the endpoint's host; at once if it is a literal or a Unix path. kNotFound
/// naming the host otherwise. Bounded by the system resolver's own time-outs.
Task<Result<SocketAddress>> resolve(Endpoint endpoint);

}  // namespace bellows::http
