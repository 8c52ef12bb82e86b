// The pages everybody expects on a program's admin port.
#pragma once

#include <functional>
#include <string>

#include "http/io/service_server.hpp"

namespace bellows::http {

/// Whether a program takes traffic, and in words why not ("draining", "the app does not listen").
struct Readiness {
  bool is_ready = false;
  std::string reason;  ///< empty when ready
};

/// What the pages show, asked anew for every request, on the io thread.
struct AdminPages {
  std::function<Readiness()> readiness;
  std::function<std::string()> metrics;  ///< Prometheus text format 0.0.4
};

/// Limits of a port that serves these pages and no more: 64 connections, bodies of 64 KB. Not for
/// one that queue-proxies stream their stats to.
ServiceServerOptions admin_port_limits();

/// Adds /healthz and /livez (200 as long as the io thread answers), /readyz (200, or 503 with the
/// reason) and /metrics, before the server listens. What the callbacks refer to outlives the
/// server's stop().
void add_admin_pages(ServiceServer& server, AdminPages pages);

}  // namespace bellows::http
