// The usual pages of a program's admin port.
#pragma once

#include <functional>
#include <string>

#include "http/io/service_server.hpp"

namespace bellows::http {

/// Whether a program accepts traffic, and if not the reason ("draining"). A reason of one that does
/// is what people should know of it.
struct Readiness {
  bool is_ready = false;
  std::string reason;  ///< not empty unless ready
};

/// The contents of the pages, called for every request, on the io thread.
struct AdminPages {
  std::function<Readiness()> readiness;
  std::function<std::string()> metrics;  ///< Prometheus text format 0.0.4
};

/// Limits of a port that serves only these pages: 64 connections, bodies of 64 KB. Not for a port
/// that queue-proxies stream their stats to.
ServiceServerOptions admin_port_limits();

/// Adds /healthz and /livez (200 as long as the io thread runs), /readyz (200 or 503, with the
/// reason) and /metrics; call it before the server listens. What the callbacks refer to outlives
/// the server's stop().
void add_admin_pages(ServiceServer& server, AdminPages pages);

}  // namespace bellows::http
