// The endpoint for stats of queue-proxies and activators.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "autoscaler/service/activator_streams.hpp"
#include "autoscaler/service/settings_streams.hpp"
#include "autoscaler/service/stat_guard.hpp"
#include "cluster/api.hpp"
#include "http/io/service_server.hpp"
#include "metrics/stat.hpp"
#include "metrics/stream/stat_receiver.hpp"

namespace bellows::autoscaler {

inline constexpr const char* kStatPath = "/v1/stats";
/// The URL's parameter with the name of an activator: `/v1/stats?activator=NAME`.
inline constexpr const char* kActivatorParameter = "activator";

/// Serves the WebSocket /v1/stats. It reads no message before the first list of the cluster,
/// because a stat of an unknown revision would be lost, while a waiting sender loses nothing. If
/// the cluster has secrets or verifies tokens, a sender authenticates with its own in the upgrade.
/// The list may be older than the replica, so at most kUnknown connections with an unknown secret
/// wait for kSecretWait. A connection ends with its token; the sender returns with the next one and
/// sends what it keeps again. Owner: the service. Thread: the io thread.
class StatEndpoint {
 public:
  static constexpr int kUnknown = 64;
  static constexpr Duration kSecretWait = std::chrono::seconds(2);

  /// All outlive it.
  StatEndpoint(StatGuard& guard, const cluster::Cluster& cluster, ActivatorStreams& activators,
               SettingsStreams& settings);

  /// Adds the route. Call it before server.listen(); this object outlives `server`.
  void add_routes(http::ServiceServer& server);

  const metrics::StatReceiver& receiver() const { return receiver_; }

 private:
  http::Awaitable<void> serve(std::unique_ptr<http::WebSocket> socket);
  /// Serves a sender whose identity is known.
  http::Awaitable<void> serve_as(http::WebSocket& socket, SenderIdentity identity);
  http::Awaitable<void> serve_activator(http::WebSocket& socket, const PodName& name,
                                        SenderIdentity identity);
  /// Serves a sender that has not said that it is an activator: it may take settings.
  http::Awaitable<void> serve_replica(http::WebSocket& socket, SenderIdentity identity);
  http::Awaitable<void> serve_with_token(http::WebSocket& socket, cluster::SenderTokens& tokens);
  http::Awaitable<void> refuse(http::WebSocket& socket, Refusal why, std::string detail);
  /// Returns the identity of the sender; nullopt: refused.
  http::Awaitable<std::optional<SenderIdentity>> identify(http::WebSocket& socket);

  StatGuard& guard_;
  const cluster::Cluster& cluster_;
  ActivatorStreams& activators_;
  SettingsStreams& settings_;
  metrics::StatReceiver receiver_;
  int unknown_ = 0;  // connections whose secret is not known yet
};

}  // namespace bellows::autoscaler
