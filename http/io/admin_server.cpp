#include "http/io/admin_server.hpp"

#include <utility>

namespace bellows::http {

namespace {

Awaitable<Response> alive(Request) {
  Response response;
  response.body = "ok\n";
  co_return response;
}

}  // namespace

ServiceServerOptions admin_port_limits() {
  ServiceServerOptions limits;
  limits.max_connections = 64;
  limits.max_body_bytes = std::size_t{64} * 1024;
  return limits;
}

void add_admin_pages(ServiceServer& server, AdminPages pages) {
  server.route("GET", "/healthz", alive);
  server.route("GET", "/livez", alive);
  server.route("GET", "/readyz",
               [readiness = std::move(pages.readiness)](Request) -> Awaitable<Response> {
                 const Readiness now = readiness();
                 Response response;
                 response.status = now.is_ready ? 200 : 503;
                 response.body = now.is_ready ? "ready" : "not ready";
                 if (!now.reason.empty()) response.body += ": " + now.reason;
                 response.body += "\n";
                 co_return response;
               });
  server.route("GET", "/metrics",
               [metrics = std::move(pages.metrics)](Request) -> Awaitable<Response> {
                 Response response;
                 response.content_type = "text/plain; version=0.0.4; charset=utf-8";
                 response.body = metrics();
                 co_return response;
               });
}

}  // namespace bellows::http
