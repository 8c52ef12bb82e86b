// The autoscaler as a program of its own: its server, its metrics, start and shutdown.
#pragma once

#include <functional>
#include <string>
#include <utility>

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

  /// Sets the source of the reason that the cluster is not ready, one line for /readyz; without it
  /// the line is a general one.
  void explain_readiness(std::function<std::string()> reason) {
    not_ready_reason_ = std::move(reason);
  }
  /// Returns the registry for further series of this program. Their data outlives the program, or
  /// the series are removed before it.
  metrics::prometheus::Registry& metrics() { return metrics_; }

  /// Returns the server, for further paths. Add them before start().
  http::ServiceServer& server() { return server_; }

  /// Opens the port for stats, status, health and metrics. The error names the address. The program
  /// is ready (/readyz) once the cluster has been listed.
  Result<void> start();

  /// Returns the address of the port. Call it after start().
  const Endpoint& address() const { return address_; }

  /// Starts the shutdown: serve_until_end() stops receiving stats, finishes running orders, saves.
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
  std::function<std::string()> not_ready_reason_;
  http::AsioTimer end_;  // cancelled by end()
  bool is_ending_ = false;
};

}  // namespace bellows::autoscaler
