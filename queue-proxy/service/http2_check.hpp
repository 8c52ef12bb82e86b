// Checks over HTTP/2 whether an app speaks it, and its health service.
#pragma once

#include <string>

#include "base/endpoint.hpp"
#include "base/result.hpp"
#include "http/io/net.hpp"
#include "proxy/io/upstream_pool.hpp"

namespace bellows::queue_proxy {

/// Sends the preface of HTTP/2. The app speaks HTTP/2 if it answers SETTINGS, and HTTP/1.1 if it
/// answers anything else. Errors: kTimeout (no answer within `timeout`), kReset (the app closes
/// without an answer), and those of the connection.
http::Awaitable<Result<proxy::UpstreamVersion>> ask_version(Endpoint app, Duration timeout);

/// Calls grpc.health.v1.Health/Check for `service` (empty: the app as a whole). kUnavailable: it is
/// not SERVING, or has no such service; kMalformed: no HTTP/2; otherwise errors of the connection.
http::Awaitable<Result<void>> check_grpc_health(Endpoint app, std::string service,
                                                Duration timeout);

}  // namespace bellows::queue_proxy
