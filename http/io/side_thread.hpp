// Runs work that would delay requests on another thread.
#pragma once

#include <functional>

#include "http/io/net.hpp"

namespace bellows::http {

/// Runs `work` on a new thread and returns when it has ended; the io thread, which calls this,
/// serves requests meanwhile. Objects that `work` refers to must outlive the call, and no other
/// code uses them until then. A stopped task still waits for `work` to end.
Awaitable<void> on_side_thread(net::io_context& io, std::function<void()> work);

}  // namespace bellows::http
