// Connects a socket of Asio to an Endpoint, for the clients of this room. The data path connects in
// its pool (proxy/io/upstream_pool.hpp).
#pragma once

#include "base/endpoint.hpp"
#include "http/io/byte_stream.hpp"
#include "http/io/net.hpp"

namespace bellows::http {

/// Resolves the host, tries its addresses in order, and returns the first connection. Errors name
/// the endpoint, are of the upstream side and retryable: kRefused (no process listens, or no such
/// Unix socket), kNotFound (no such host), kTimeout at `deadline`, otherwise by errno.
Awaitable<Result<StreamSocket>> connect_to(Endpoint endpoint, TimePoint deadline);

/// Does the same, then performs TLS's handshake with the endpoint's host unless `tls` is null.
/// Further errors: those of ByteStream::handshake(), and kInvalidSetting for a file of `tls` that
/// cannot be used.
Awaitable<Result<ByteStream>> connect_stream(Endpoint endpoint, TlsContext* tls,
                                             TimePoint deadline);

}  // namespace bellows::http
