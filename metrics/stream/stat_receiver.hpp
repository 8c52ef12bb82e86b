// The server side of the stat stream: one WebSocket per sender.
#pragma once

#include <cstdint>
#include <string>

#include "base/lifetime.hpp"
#include "base/rate_limit.hpp"
#include "base/result.hpp"
#include "http/io/net.hpp"
#include "http/io/websocket.hpp"
#include "metrics/stat.hpp"

namespace bellows::metrics {

struct StatReceiverCounters {
  std::uint64_t stats = 0;
  std::uint64_t triggers = 0;
  std::uint64_t bad_messages = 0;  ///< each one has closed its connection
  std::uint64_t connections = 0;   ///< since start
};

/// Reads messages, decodes them and passes them to a sink in their order. An invalid message is
/// logged (5 at once, then one in 2 s), counted, and closes only its connection, with the reason in
/// the close frame (docs/formats/wire.md). The windows drop duplicates. The sink outlives it.
/// Owner: the program with the server. Thread: the io thread.
class StatReceiver {
 public:
  /// Serves one connection until it ends, for http::ServiceServer::websocket(). Socket and sink
  /// outlive it. A connection that does not end by the deadline of its server may be destroyed
  /// after this object.
  http::Awaitable<void> serve(http::WebSocket& socket, StatSink& sink);

  const StatReceiverCounters& counters() const { return counters_; }
  std::int64_t open_connections() const { return open_; }

 private:
  Result<void> take(const Result<std::string>& bytes, StatSink& sink);
  void warn(const std::string& peer, const std::string& reason);

  StatReceiverCounters counters_;
  std::int64_t open_ = 0;
  RateLimit warnings_{5, std::chrono::seconds(2)};
  Lifetime lifetime_;  // for connections that are destroyed with the io_context, after this object
};

}  // namespace bellows::metrics
