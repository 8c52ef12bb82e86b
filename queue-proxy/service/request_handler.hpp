// One request at the queue-proxy: probe? else counted, let in or made to wait, passed to the app.
#pragma once

#include <functional>
#include <string>

#include "config/queue_proxy_settings.hpp"
#include "metrics/meter.hpp"
#include "proxy/io/gate.hpp"
#include "proxy/io/proxy_server.hpp"
#include "queue-proxy/core/probe_request.hpp"
#include "queue-proxy/core/readiness.hpp"
#include "queue-proxy/service/instruments.hpp"

namespace bellows::queue_proxy {

/// Owner: the service. Thread: the io thread. What is handed in outlives it.
class RequestHandler final : public proxy::RequestHandler {
 public:
  /// `on_app_refused`: nobody listens at the app's port any more.
  RequestHandler(const config::QueueProxySettings& settings, proxy::UpstreamPool& pool,
                 const Readiness& readiness, metrics::ConcurrencyMeter& meter,
                 Instruments& instruments, std::function<void()> on_app_refused);

  http::Flow<void> handle(proxy::Exchange& exchange) override;

  std::int64_t waiting() const { return gate_.breaker().waiting(); }
  std::int64_t running() const { return gate_.breaker().running(); }

 private:
  http::Flow<void> serve(proxy::Exchange& exchange);
  http::Flow<void> pass_to_app(proxy::Exchange& exchange);
  proxy::Answer probe_answer(ProbeRequest probe) const;

  const std::string name_;  // "replica web-1": the culprit of upstream errors
  const Endpoint app_;
  proxy::UpstreamPool& pool_;
  const Readiness& readiness_;
  metrics::ConcurrencyMeter& meter_;
  Instruments& instruments_;
  const std::function<void()> on_app_refused_;
  proxy::ForwardOptions options_;
  proxy::Gate gate_;
};

}  // namespace bellows::queue_proxy
