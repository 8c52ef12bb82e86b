// The activator as a program of its own: a client of a cluster socket and of an autoscaler.
#pragma once

#include <optional>

#include "activator/service/activator_service.hpp"
#include "base/random.hpp"
#include "base/sys/clock.hpp"
#include "cluster/remote/remote_cluster.hpp"
#include "config/activator_settings.hpp"
#include "http/io/reactor.hpp"
#include "http/io/service_server.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "metrics/stream/stat_sender.hpp"
#include "proxy/io/access_log.hpp"

namespace bellows::activator {

/// Owner: main(). Thread: the io thread. `io`, clock and random outlive it.
class Program {
 public:
  Program(http::net::io_context& io, const sys::Clock& clock, Random& random,
          config::ActivatorSettings settings);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Listens on both ports, then connects to the cluster and the autoscaler. The error names the
  /// address that cannot be bound.
  Result<void> start();

  /// Becomes unready at once. Takes requests, since callers may not know yet, until none is held or
  /// in flight, or until drain-timeout (unset: the longest one of the services' queue-proxies) has
  /// passed. Then stops.
  http::Awaitable<void> drain_and_stop();

 private:
  void add_admin_pages();

  const config::ActivatorSettings settings_;
  const sys::Clock& clock_;
  http::Reactor reactor_;
  metrics::prometheus::Registry registry_;
  cluster::RemoteCluster cluster_;
  metrics::StatSender sender_;
  std::optional<proxy::AccessLog> access_log_;
  ActivatorService service_;
  http::ServiceServer admin_;
};

}  // namespace bellows::activator
