// Several equal programs of one cluster: one writes, the others stand by.
#pragma once

#include <optional>
#include <string>

#include "base/endpoint.hpp"
#include "http/io/net.hpp"
#include "http/io/service_server.hpp"
#include "kubernetes/io/api_client.hpp"
#include "kubernetes/io/elector.hpp"

namespace bellows::cluster {

/// Holds a Lease or waits for it. While it is not held the client writes nothing to the API server.
/// What a stopped or disconnected holder had in mind is therefore never sent late. Owner: main().
/// Thread: the io thread.
class Standby {
 public:
  /// `lease`: NAMESPACE/NAME. `client` outlives it. `elected` is called once the Lease is held.
  /// `lost` is called if another program has taken it from this one: then the program ends, and is
  /// started again as a standby.
  Standby(http::net::io_context& io, kubernetes::ApiClient& client, std::string lease,
          kubernetes::ElectorCallbacks callbacks);
  Standby(const Standby&) = delete;
  Standby& operator=(const Standby&) = delete;

  /// Adds the path at which the others watch this program. Call it before server.listen().
  void add_route(http::ServiceServer& server) { kubernetes::Elector::add_route(server); }

  /// `address`: where the server listens.
  http::Awaitable<void> start(Endpoint address);

  /// Gives the Lease up. Call it once nothing writes any more.
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  Result<void> may_write() const;

  http::net::io_context& io_;
  kubernetes::ApiClient& client_;
  const std::string lease_;
  const kubernetes::ElectorCallbacks callbacks_;
  std::optional<kubernetes::Elector> elector_;
};

}  // namespace bellows::cluster
