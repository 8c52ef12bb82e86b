// Resolves host names to addresses, and divides the time among several addresses.
#pragma once

#include <cstddef>
#include <vector>

#include "http/io/address.hpp"
#include "http/io/net.hpp"

namespace bellows::http {

/// Returns all addresses of the endpoint's host, in the order in which to try them; at once if it
/// is a literal, "localhost" or a Unix path. Errors name the endpoint, are of the upstream side and
/// retryable: kNotFound (no such host), kTimeout after `timeout`. A Unix path that is too long is
/// kInvalidSetting. The system's look-up cannot be cancelled: after a timeout it ends by itself.
Awaitable<Result<std::vector<SocketAddress>>> resolve(Endpoint endpoint, Duration timeout);

/// Returns the address to listen on: the literal, or the first address of the host's name. It
/// blocks for the look-up, so call it only at the start of a program. Errors name the endpoint:
/// kNotFound (no such host), kInvalidSetting (a Unix path that is too long).
Result<SocketAddress> listening_address(const Endpoint& endpoint);

/// Returns the deadline of the next of `left` addresses (at least 1): its share of the time, so
/// that an address that does not respond leaves time for the others.
TimePoint attempt_deadline(TimePoint now, TimePoint deadline, std::size_t left);

/// Returns the number of unanswered look-ups. They cannot be cancelled, and the io_context of their
/// callers waits for them when it is destroyed. Thread: the io thread.
std::size_t pending_lookups();

}  // namespace bellows::http
