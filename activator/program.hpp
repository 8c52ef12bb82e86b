// The activator as a program of its own: a client of a cluster and of an autoscaler.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "activator/service/activator_service.hpp"
#include "base/random.hpp"
#include "base/sys/clock.hpp"
#include "cluster/api.hpp"
#include "config/activator_settings.hpp"
#include "http/io/admin_server.hpp"
#include "http/io/reactor.hpp"
#include "http/io/service_server.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "metrics/stream/stat_senders.hpp"
#include "proxy/io/access_log.hpp"

namespace bellows::activator {

/// Owner: main(), which starts the cluster after this and stops it after this. Thread: the io
/// thread. The arguments of the constructor outlive it.
class Program {
 public:
  Program(http::net::io_context& io, cluster::Cluster& cluster, const sys::Clock& clock,
          Random& random, config::ActivatorSettings settings);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Sets the function that explains why the cluster is not ready, one line for /readyz; without it
  /// the line is a general one.
  void explain_readiness(std::function<std::string()> reason) {
    not_ready_reason_ = std::move(reason);
  }
  /// Returns the registry for further series of this program. Objects that they read must outlive
  /// the program, or be removed before it.
  metrics::prometheus::Registry& metrics() { return registry_; }

  /// Listens on both ports, then connects to the autoscaler. The error names the address that
  /// cannot be bound.
  Result<void> start();

  /// Returns its name among the activators of a path.
  PodName name() const;
  /// Returns true if callers connect by TLS.
  bool has_certificates() const { return settings_.tls.is_on(); }
  /// Reads certificates again, for connections from now on.
  void reload_certificates() { (void)service_.reload_certificates(); }

  /// Becomes unready at once. It accepts requests, since callers may not know yet, until none is
  /// held or in flight, and for drain-quiet-time none has arrived and no path has included this
  /// activator, or until drain-timeout (unset: the longest one of the services' queue-proxies) has
  /// passed. Then it stops.
  http::Awaitable<void> drain_and_stop();

 private:
  void add_admin_pages();
  http::Readiness readiness() const;

  const config::ActivatorSettings settings_;
  const sys::Clock& clock_;
  http::Reactor reactor_;
  metrics::prometheus::Registry registry_;
  cluster::Cluster& cluster_;
  metrics::StatSenders sender_;
  std::optional<proxy::AccessLog> access_log_;
  std::unique_ptr<proxy::SpanExporter> spans_;  // nullptr: no export
  ActivatorService service_;
  http::ServiceServer admin_;
  std::function<std::string()> not_ready_reason_;
};

}  // namespace bellows::activator
