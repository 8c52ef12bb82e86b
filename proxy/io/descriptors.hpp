// Limits the connections by the descriptors of the process.
#pragma once

#include <cstddef>

namespace bellows::proxy {

/// Returns `wanted`, or half of what RLIMIT_NOFILE leaves for connections if that is less, because
/// a forwarded request takes two descriptors, one for its caller and one for its upstream.
/// Connections beyond that wait in the backlog, which is better than a 502. `listening` is the
/// number of ports, each of which takes one. Descriptors that others reserve
/// (sys::expected_descriptors()) are subtracted. The result is at least 1.
std::size_t limit_by_descriptors(std::size_t wanted, std::size_t listening);

/// Returns the descriptors that limit_by_descriptors() leaves for connections to the program's
/// other ports: a sixteenth of RLIMIT_NOFILE, 64 of 1,024. The result is at least 16.
std::size_t own_descriptors();

}  // namespace bellows::proxy
