// Polls the status of a running Bellows.
#pragma once

#include <functional>

#include "base/endpoint.hpp"
#include "cli/status/status_model.hpp"
#include "http/io/net.hpp"

namespace bellows::cli {

/// Fetches the status once. Errors name the admin address.
http::Awaitable<Result<Status>> fetch_status(Endpoint admin);

/// Fetches the status every `interval` and calls `on_status` with it. Completes when `on_status`
/// returns false (success), a fetch fails (its error), or the task is stopped (success).
http::Awaitable<Result<void>> follow_status(Endpoint admin, Duration interval,
                                            std::function<bool(const Status&)> on_status);

}  // namespace bellows::cli
