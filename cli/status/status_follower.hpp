// Polls the status of a running Bellows.
#pragma once

#include <functional>

#include "cli/status/status_model.hpp"
#include "command/admin/admin_client.hpp"
#include "http/io/net.hpp"

namespace bellows::cli {

/// Fetches the status once. Errors name the server.
http::Awaitable<Result<Status>> fetch_status(command::AdminServer server);

/// Fetches the status every `interval` and calls `on_status` with it. Completes when `on_status`
/// returns false (success), a fetch fails (its error), or the task is stopped (success).
http::Awaitable<Result<void>> follow_status(command::AdminServer server, Duration interval,
                                            std::function<bool(Status)> on_status);

}  // namespace bellows::cli
