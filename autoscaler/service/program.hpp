// The autoscaler as a program of its own: its server, its metrics, start and shutdown.
#pragma once

#include "autoscaler/service/autoscaler_service.hpp"
#include "config/autoscaler_settings.hpp"
#include "http/io/service_server.hpp"
#include "metrics/prometheus/instruments.hpp"

namespace bellows::autoscaler {

/// Owner: main(). Thread: the io thread. The arguments of the constructor outlive it.
class Program {
 public:
  Program(http::net::io_context& io, cluster::Cluster& cluster, const sys::Clock& clock,
          const config::AutoscalerSettings& settings);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Opens the port for stats, status, health and metrics. The error names the address. Ready
  /// (/readyz) once the cluster has been listed.
  Result<void> start();

  /// Where it listens; after start().
  const Endpoint& address() const { return address_; }

  /// Starts the shutdown: serve_until_end() stops receiving stats, finishes orders under way,
  /// saves.
  void end();
  http::Awaitable<void> serve_until_end();

 private:
  void add_admin_pages();

  const cluster::Cluster& cluster_;
  const sys::Clock& clock_;
  const config::AutoscalerSettings settings_;
  metrics::prometheus::Registry metrics_;
  AutoscalerService service_;
  http::ServiceServer server_;
  Endpoint address_;
  http::AsioTimer end_;  // cancelled by end()
  bool is_ending_ = false;
};

}  // namespace bellows::autoscaler
