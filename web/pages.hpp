// The live page of a running Bellows: static files, which request the status and the events from
// the same port.
#pragma once

#include "http/io/service_server.hpp"

namespace bellows::web {

/// Adds GET / and /ui/...; call it before server.listen(). The files are compressed for clients
/// that accept gzip, and a client that has one gets a 304. They use no other server, and
/// Content-Security-Policy makes the browser refuse anything else.
void add_pages(http::ServiceServer& server);

}  // namespace bellows::web
