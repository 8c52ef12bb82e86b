// Looks at a running Bellows again and again.
#pragma once

#include <functional>

#include "base/endpoint.hpp"
#include "cli/status/status_model.hpp"
#include "http/io/net.hpp"

namespace bellows::cli {

/// One look. Errors name the admin address.
http::Awaitable<Result<Status>> fetch_status(Endpoint admin);

/// A look every `interval`, handed to `seen`, until it returns false (success), a look fails (its
/// error), or the task is stopped (success).
http::Awaitable<Result<void>> follow_status(Endpoint admin, Duration interval,
                                            std::function<bool(const Status&)> seen);

}  // namespace bellows::cli
