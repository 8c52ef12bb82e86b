// The life of a request at the activator: probe? route, hold, pass on, and once more elsewhere.
#pragma once

#include "activator/service/passage.hpp"
#include "activator/service/revision_router.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "proxy/io/exchange.hpp"
#include "proxy/io/upstream_pool.hpp"

namespace bellows::activator {

/// How many replicas a request is tried on.
inline constexpr int kTries = 2;

/// Owner: the activator service. Thread: the io thread. What is handed in outlives it, and it
/// outlives its requests.
class ActivationHandler final : public proxy::RequestHandler {
 public:
  ActivationHandler(const RevisionRouter& router, proxy::UpstreamPool& pool,
                    metrics::prometheus::Registry& registry, ColdStartObserver on_cold_start,
                    bool keeps_notes);

  http::Task<void> handle(proxy::Exchange& exchange) override;

  /// From now on probes are told that this activator leaves.
  void start_draining() { is_serving_ = false; }

 private:
  http::Task<void> answer_probe(proxy::Exchange& exchange, proxy::Answer answer) const;
  http::Task<void> pass_on(RevisionLine& line, proxy::Exchange& exchange);

  const RevisionRouter& router_;
  proxy::UpstreamPool& pool_;
  ColdStartObserver on_cold_start_;
  metrics::prometheus::Counter unrouted_;
  const bool keeps_notes_;  // for an access log
  bool is_serving_ = true;
};

}  // namespace bellows::activator
