// Where queue-proxies and activators send their stats.
#pragma once

#include "cluster/api.hpp"
#include "http/io/service_server.hpp"
#include "metrics/stat.hpp"
#include "metrics/stream/stat_receiver.hpp"

namespace bellows::autoscaler {

inline constexpr const char* kStatPath = "/v1/stats";

/// WebSocket /v1/stats. Nothing is read before the first list of the cluster: a stat of an unknown
/// revision would be lost, while a sender that waits loses nothing. Owner: the service. Thread: the
/// io thread.
class StatEndpoint {
 public:
  /// Both outlive it.
  StatEndpoint(metrics::StatSink& sink, const cluster::Cluster& cluster);

  /// Before server.listen(). This object outlives `server`.
  void add_routes(http::ServiceServer& server);

  const metrics::StatReceiver& receiver() const { return receiver_; }

 private:
  http::Awaitable<void> serve(std::unique_ptr<http::WebSocket> socket);

  const cluster::Cluster& cluster_;
  metrics::StatReceiver receiver_;
};

}  // namespace bellows::autoscaler
