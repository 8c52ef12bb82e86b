// How many connections the process's descriptors allow.
#pragma once

#include <cstddef>

namespace bellows::proxy {

/// Returns `wanted`, or half of what RLIMIT_NOFILE leaves for connections if that is less: a
/// forwarded request takes two descriptors, one for its caller and one for its upstream.
/// Connections beyond that wait in the backlog, which is better than a 502. `listening`: ports,
/// each of which takes one. What others have reserved (sys::DescriptorReserve) is not counted in.
/// At least 1.
std::size_t limit_by_descriptors(std::size_t wanted, std::size_t listening);

/// What limit_by_descriptors() leaves for connections to the program's other ports: a sixteenth of
/// RLIMIT_NOFILE, 64 of 1,024. At least 16.
std::size_t own_descriptors();

}  // namespace bellows::proxy
