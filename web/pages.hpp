// The live page of a running Bellows: static files, which ask the status and the events of the
// same port.
#pragma once

#include "http/io/service_server.hpp"

namespace bellows::web {

/// Adds GET / and /ui/...; before server.listen(). The files are compressed for clients that take
/// gzip, and 304 for one that has them. Nothing in them comes from another server, and the browser
/// is told to run nothing else (Content-Security-Policy).
void add_pages(http::ServiceServer& server);

}  // namespace bellows::web
