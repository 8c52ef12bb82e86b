// Several autoscalers of one cluster: one orders, the others stand by.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/endpoint.hpp"
#include "cluster/kubernetes/io/kubernetes_cluster.hpp"
#include "http/io/net.hpp"
#include "http/io/service_server.hpp"
#include "kubernetes/io/api_client.hpp"
#include "kubernetes/io/elector.hpp"

namespace bellows::cluster {

/// Holds a Lease or waits for it. While it is not held the client writes nothing to the API server;
/// with it the cluster takes over. What a stopped or disconnected holder had in mind is therefore
/// never sent late. Owner: main(). Thread: the io thread.
class Standby {
 public:
  /// `lease`: NAMESPACE/NAME. `client` and `cluster`, which has KubernetesRole::kStandby, outlive
  /// it. `lost` is called if another autoscaler has taken the Lease from this one: then the program
  /// ends, and is started again as a standby.
  Standby(http::net::io_context& io, kubernetes::ApiClient& client, KubernetesCluster& cluster,
          std::string lease, std::function<void()> lost);
  Standby(const Standby&) = delete;
  Standby& operator=(const Standby&) = delete;

  /// Adds the path at which the others watch this program. Call it before server.listen().
  void add_route(http::ServiceServer& server) { kubernetes::Elector::add_route(server); }

  /// `address`: where the server listens.
  http::Awaitable<void> start(Endpoint address);

  /// Gives the Lease up. Call it once the cluster has been stopped.
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  Result<void> may_write() const;
  void elected();
  void taken(const std::string& holder);

  http::net::io_context& io_;
  kubernetes::ApiClient& client_;
  KubernetesCluster& cluster_;
  const std::string lease_;
  std::function<void()> lost_;
  std::optional<kubernetes::Elector> elector_;
};

}  // namespace bellows::cluster
