// Asks an app over HTTP/2: whether it speaks it, and how its health service says it is.
#pragma once

#include <string>

#include "base/endpoint.hpp"
#include "base/result.hpp"
#include "http/io/net.hpp"

namespace bellows::queue_proxy {

/// Sends what a connection of HTTP/2 begins with. False: the app answers otherwise, closes, or
/// answers nothing within `timeout`.
http::Awaitable<bool> speaks_http2(Endpoint app, Duration timeout);

/// grpc.health.v1.Health/Check for `service` (empty: the app as a whole). kUnavailable: it is not
/// SERVING, or has no such service; kMalformed: no HTTP/2; otherwise errors of the connection.
http::Awaitable<Result<void>> check_grpc_health(Endpoint app, std::string service,
                                                Duration timeout);

}  // namespace bellows::queue_proxy
