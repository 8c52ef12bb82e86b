// POST /occupied, /ready, /busy?for=30s and /counter?count=3&capacity=10 at the admin port, by
// which an app reports its state.
#pragma once

#include "base/sys/clock.hpp"
#include "http/io/service_server.hpp"
#include "queue-proxy/core/occupancy.hpp"

namespace bellows::queue_proxy {

/// Adds the pages; call it before `server` listens. All arguments outlive the server. Every
/// response is 200 with the state, or 400 that names the parameter, its value and what is valid.
/// Thread: the io thread.
void add_occupancy_pages(http::ServiceServer& server, Occupancy& occupancy,
                         const sys::Clock& clock);

}  // namespace bellows::queue_proxy
