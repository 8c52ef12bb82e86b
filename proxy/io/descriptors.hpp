// How many connections the process's descriptors are enough for.
#pragma once

#include <cstddef>

namespace bellows::proxy {

/// At most `wanted`, and at most half of what RLIMIT_NOFILE leaves beside the program's own: a
/// request that is passed on holds two descriptors, its caller's and its upstream's. With fewer
/// than that free, connections had better wait in the backlog than be answered with 502.
std::size_t max_connections(std::size_t wanted);

}  // namespace bellows::proxy
