// Host names to addresses, and how long each of several may take.
#pragma once

#include <vector>

#include "http/io/address.hpp"
#include "http/io/net.hpp"

namespace bellows::http {

/// All addresses of the endpoint's host, in the order in which they should be tried; at once if it
/// is a literal, "localhost" or a Unix path. Errors name the endpoint, are upstream's and
/// retryable: kNotFound (no such host), kTimeout after `patience`. kInvalidSetting: a Unix path
/// that is too long. The system cannot be told to stop: behind a time-out its lookup ends by
/// itself.
Awaitable<Result<std::vector<SocketAddress>>> resolve(Endpoint endpoint, Duration patience);

/// Where to listen: the literal, or the first address of the host's name. Waits for the system's
/// answer, so it belongs where a program starts. Errors name the endpoint: kNotFound (no such
/// host), kInvalidSetting (a Unix path that is too long).
Result<SocketAddress> listening_address(const Endpoint& endpoint);

/// Until when the next of `left` addresses may take, `left` at least 1: its share of the time, so
/// that one that says nothing leaves some for the others.
TimePoint attempt_deadline(TimePoint now, TimePoint deadline, std::size_t left);

}  // namespace bellows::http
