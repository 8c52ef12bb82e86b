// One request at the queue-proxy: probe? else counted, let in or made to wait, passed to the app.
#pragma once

#include <functional>
#include <optional>
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

  http::Task<void> handle(proxy::Exchange& exchange) override;

  std::int64_t waiting() const { return gate_.breaker().waiting(); }
  std::int64_t running() const { return gate_.breaker().running(); }
  /// Of those, whose answer has not begun: not tunnels, not streams.
  std::int64_t unanswered() const { return unanswered_; }

 private:
  class Told;

  http::Task<void> serve(proxy::Exchange& exchange);
  http::Task<void> pass_to_app(proxy::Exchange& exchange);
  /// Header lines of an answer, whoever made it: how much runs and waits here, for an activator;
  /// how long this request waited, for whoever is to know.
  void tell(const proxy::Exchange& exchange, std::string& lines) const;

  const std::string name_;  // "replica web-1": the culprit of upstream errors
  const Endpoint app_;
  proxy::UpstreamPool& pool_;
  const Readiness& readiness_;
  metrics::ConcurrencyMeter& meter_;
  Instruments& instruments_;
  const std::function<void()> on_app_refused_;
  const proxy::ProbeRules probes_;
  const config::QueueTimeHeader queue_time_header_;
  const std::optional<proxy::AccessNotes> notes_;  // of every request, where there is an access log
  proxy::ForwardOptions options_;
  std::int64_t unanswered_ = 0;
  proxy::Gate gate_;
};

}  // namespace bellows::queue_proxy
