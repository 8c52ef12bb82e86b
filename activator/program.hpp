// The activator as a program of its own: a client of a cluster socket and of an autoscaler.
#pragma once

#include "activator/service/activator_service.hpp"
#include "base/random.hpp"
#include "base/sys/clock.hpp"
#include "cluster/remote/remote_cluster.hpp"
#include "config/activator_settings.hpp"
#include "http/io/reactor.hpp"
#include "http/io/service_server.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "metrics/stream/stat_sender.hpp"

namespace bellows::activator {

/// Owner: main(). Thread: the io thread. `io`, clock and random outlive it.
class Program {
 public:
  Program(http::net::io_context& io, const sys::Clock& clock, Random& random,
          config::ActivatorSettings settings);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Opens both ports, then follows the cluster and the autoscaler. The error names the address
  /// that cannot be had.
  Result<void> start();

  /// Unready at once; takes and holds requests until callers have gone elsewhere, and ends when
  /// nothing is in flight any more.
  http::Task<void> drain_and_stop();

 private:
  void add_admin_pages();

  const config::ActivatorSettings settings_;
  const sys::Clock& clock_;
  http::Reactor reactor_;
  metrics::prometheus::Registry registry_;
  cluster::RemoteCluster cluster_;
  metrics::StatSender sender_;
  ActivatorService service_;
  http::ServiceServer admin_;
};

}  // namespace bellows::activator
