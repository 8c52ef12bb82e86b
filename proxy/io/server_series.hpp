// The metrics that each proxy of Bellows has about its connections.
#pragma once

#include <string>
#include <vector>

#include "metrics/prometheus/instruments.hpp"
#include "proxy/io/proxy_server.hpp"
#include "proxy/io/span_exporter.hpp"
#include "proxy/io/upstream_pool.hpp"

namespace bellows::proxy {

/// PREFIX_closed_connections_total{limit}, PREFIX_rejected_heads_total{code},
/// PREFIX_aborted_total{by}, PREFIX_accept_failures_total and PREFIX_http2_abuses_total{side,
/// kind}, read from `server` and `pool` when the metrics are scraped. Both outlive the returned
/// listings.
[[nodiscard]] std::vector<metrics::prometheus::Listing> list_server_series(
    metrics::prometheus::Registry& registry, const std::string& prefix, const ProxyServer& server,
    const UpstreamPool& pool);

/// PREFIX_spans_total{outcome} and PREFIX_span_export_failures_total. `spans` outlives the returned
/// listings.
[[nodiscard]] std::vector<metrics::prometheus::Listing> list_span_series(
    metrics::prometheus::Registry& registry, const std::string& prefix, const SpanExporter& spans);

}  // namespace bellows::proxy
