// The pages that every admin port has.
#pragma once

#include <functional>
#include <string>

#include "http/io/service_server.hpp"

namespace bellows::http {

/// States whether a program accepts traffic, and if not the reason ("draining"). The reason of a
/// ready program is a notice for its operator.
struct Readiness {
  bool is_ready = false;
  std::string reason;  ///< not empty unless ready
};

/// The contents of the pages, called for every request, on the io thread.
struct AdminPages {
  std::function<Readiness()> readiness;
  std::function<std::string()> metrics;  ///< Prometheus text format 0.0.4
};

/// Returns the limits of a port that serves only these pages: 64 connections, bodies of 64 KB. A
/// port that receives stats from queue-proxies needs more.
ServiceServerOptions admin_port_limits();

/// Adds /healthz and /livez (200 as long as the io thread runs), /readyz (200 or 503, with the
/// reason) and /metrics. Call it before the server listens. Objects that the callbacks refer to
/// must outlive the server's stop().
void add_admin_pages(ServiceServer& server, AdminPages pages);

}  // namespace bellows::http
