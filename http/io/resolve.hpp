// Host names to addresses, and how much time each of several addresses gets.
#pragma once

#include <cstddef>
#include <vector>

#include "http/io/address.hpp"
#include "http/io/net.hpp"

namespace bellows::http {

/// All addresses of the endpoint's host, in the order in which they should be tried; at once if it
/// is a literal, "localhost" or a Unix path. Errors name the endpoint, are upstream's and
/// retryable: kNotFound (no such host), kTimeout after `timeout`. kInvalidSetting: a Unix path that
/// is too long. The system's look-up cannot be cancelled: after a timeout it ends by itself.
Awaitable<Result<std::vector<SocketAddress>>> resolve(Endpoint endpoint, Duration timeout);

/// The address to listen on: the literal, or the first address of the host's name. Blocks for the
/// look-up, so it is for the start of a program. Errors name the endpoint: kNotFound (no such
/// host), kInvalidSetting (a Unix path that is too long).
Result<SocketAddress> listening_address(const Endpoint& endpoint);

/// The deadline of the next of `left` addresses, `left` at least 1: its share of the time, so that
/// one that does not respond leaves some for the others.
TimePoint attempt_deadline(TimePoint now, TimePoint deadline, std::size_t left);

/// Look-ups of names whose answer has not come. They cannot be cancelled, and the io_context of
/// their callers waits for them when it is destroyed. Thread: the io thread.
std::size_t pending_lookups();

}  // namespace bellows::http
