// Where queue-proxies and activators send their stats.
#pragma once

#include <optional>

#include "autoscaler/service/activator_streams.hpp"
#include "autoscaler/service/settings_streams.hpp"
#include "autoscaler/service/stat_guard.hpp"
#include "cluster/api.hpp"
#include "http/io/service_server.hpp"
#include "metrics/stat.hpp"
#include "metrics/stream/stat_receiver.hpp"

namespace bellows::autoscaler {

inline constexpr const char* kStatPath = "/v1/stats";
/// The URL's parameter by which an activator says who it is: `/v1/stats?activator=NAME`.
inline constexpr const char* kActivatorParameter = "activator";
/// Beside it: which of several activators it is, if it knows that by its settings.
inline constexpr const char* kIndexParameter = "index";

/// WebSocket /v1/stats. Nothing is read before the first list of the cluster: a stat of an unknown
/// revision would be lost, while a sender that waits loses nothing. Where the cluster has secrets,
/// a sender shows its own with the upgrade; one that is not known yet (the list may be older than
/// the replica) is waited for, kUnknown of them at most and for kSecretWait. Owner: the service.
/// Thread: the io thread.
class StatEndpoint {
 public:
  static constexpr int kUnknown = 64;
  static constexpr Duration kSecretWait = std::chrono::seconds(2);

  /// All outlive it.
  StatEndpoint(StatGuard& guard, const cluster::Cluster& cluster, ActivatorStreams& activators,
               SettingsStreams& settings);

  /// Before server.listen(). This object outlives `server`.
  void add_routes(http::ServiceServer& server);

  const metrics::StatReceiver& receiver() const { return receiver_; }

 private:
  http::Awaitable<void> serve(std::unique_ptr<http::WebSocket> socket);
  http::Awaitable<void> serve_activator(http::WebSocket& socket, const PodName& name);
  /// A sender that has not said that it is an activator.
  http::Awaitable<void> serve_unproven(http::WebSocket& socket);
  /// nullopt: refused.
  http::Awaitable<std::optional<SenderIdentity>> identify(http::WebSocket& socket);

  StatGuard& guard_;
  const cluster::Cluster& cluster_;
  ActivatorStreams& activators_;
  SettingsStreams& settings_;
  metrics::StatReceiver receiver_;
  int unknown_ = 0;  // connections whose secret is not known yet
};

}  // namespace bellows::autoscaler
