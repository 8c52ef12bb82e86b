// Work that takes longer than a request may wait.
#pragma once

#include <functional>

#include "http/io/net.hpp"

namespace bellows::http {

/// Runs `work` on a thread of its own and ends when it has; the io thread, which calls this, serves
/// requests meanwhile. What `work` refers to outlives the call, and nobody else touches it until
/// then. A task that is stopped waits for `work` to end.
Awaitable<void> on_side_thread(net::io_context& io, std::function<void()> work);

}  // namespace bellows::http
