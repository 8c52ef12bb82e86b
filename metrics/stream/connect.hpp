// How a sender of stats connects to the autoscaler.
#pragma once

#include <memory>
#include <string>

#include "base/endpoint.hpp"
#include "base/result.hpp"
#include "http/io/net.hpp"
#include "http/io/websocket.hpp"

namespace bellows::metrics {

/// The autoscaler, and what proves to it who the sender is.
struct StatTarget {
  Endpoint endpoint = {};
  std::string path = {};
  std::string secret = {};      ///< sent with the upgrade; empty: none
  std::string token_file = {};  ///< its content is sent instead; empty: none
};

/// Connects. The token is read each time, because kubelets replace the file. Errors are those of
/// http::connect_websocket(), and those of a file that cannot be read or holds no token
/// (kInvalidSetting, kNotFound).
http::Awaitable<Result<std::unique_ptr<http::WebSocket>>> connect_for_stats(StatTarget target);

}  // namespace bellows::metrics
