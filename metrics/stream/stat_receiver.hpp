// The receiving end of the stat stream: one served WebSocket per sender.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "http/io/net.hpp"
#include "http/io/websocket.hpp"
#include "metrics/stat.hpp"

namespace bellows::metrics {

struct StatReceiverCounters {
  std::uint64_t stats = 0;
  std::uint64_t wakes = 0;
  std::uint64_t bad_messages = 0;  ///< each one ended its connection
  std::uint64_t connections = 0;   ///< ever
};

/// Reads messages, decodes them and hands them to a sink, in the order they come. A message that
/// cannot be read is logged, counted and ends that connection only, with the reason in the close
/// frame (docs/wire.md). Duplicates are the windows' business. Owner: the program with the server.
/// Thread: the io thread. The sink outlives it.
class StatReceiver {
 public:
  explicit StatReceiver(StatSink& sink) : sink_(sink) {}

  /// Serves one connection until it ends. A handler for http::ServiceServer::websocket().
  http::Awaitable<void> serve(std::unique_ptr<http::WebSocket> socket);

  const StatReceiverCounters& counters() const { return counters_; }
  std::int64_t open_connections() const { return open_; }

 private:
  Result<void> take(const Result<std::string>& bytes);

  StatSink& sink_;
  StatReceiverCounters counters_;
  std::int64_t open_ = 0;
};

}  // namespace bellows::metrics
