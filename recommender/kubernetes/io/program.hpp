// `recommender serve --cluster kubernetes`, from its settings to its end.
#pragma once

#include "base/result.hpp"
#include "config/recommender_program_settings.hpp"
#include "http/io/net.hpp"

namespace bellows::recommender {

/// Serves until SIGTERM or SIGINT, or until another recommender takes the lease (exit code 1); a
/// second signal ends at once. Returns the exit code. An error is one that no wait resolves: of the
/// credentials, or of the port. `settings` outlives the call.
http::Awaitable<Result<int>> serve_on_kubernetes(
    http::net::io_context& io, const config::RecommenderProgramSettings& settings);

}  // namespace bellows::recommender
