// The metrics that each proxy of Bellows has about its connections.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "http/h2/core/abuse.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "proxy/io/proxy_server.hpp"
#include "proxy/io/span_exporter.hpp"
#include "proxy/io/upstream_pool.hpp"

namespace bellows::proxy {

/// Values of a server's series.
struct ServerTotals {
  ProxyCounters counters;
  std::uint64_t accept_failures = 0;
  http2::AbuseCounts downstream_abuses{};
  http2::AbuseCounts upstream_abuses{};

  ServerTotals& operator+=(const ServerTotals& other);
};

ServerTotals totals_of(const ProxyServer& server, const UpstreamPool& pool);

/// Lists PREFIX_closed_connections_total{limit}, PREFIX_rejected_heads_total{code},
/// PREFIX_aborted_total{by}, PREFIX_accept_failures_total and PREFIX_http2_abuses_total{side,
/// kind}, read from `server` and `pool` when the metrics are scraped. Both must outlive the
/// returned listings.
[[nodiscard]] std::vector<metrics::prometheus::Listing> list_server_series(
    metrics::prometheus::Registry& registry, const std::string& prefix, const ProxyServer& server,
    const UpstreamPool& pool);
/// Does the same for several servers together, whose sums `totals` returns.
[[nodiscard]] std::vector<metrics::prometheus::Listing> list_server_series(
    metrics::prometheus::Registry& registry, const std::string& prefix,
    const std::function<ServerTotals()>& totals);

/// Lists PREFIX_spans_total{outcome} and PREFIX_span_export_failures_total. `spans` must outlive
/// the returned listings.
[[nodiscard]] std::vector<metrics::prometheus::Listing> list_span_series(
    metrics::prometheus::Registry& registry, const std::string& prefix, const SpanExporter& spans);

}  // namespace bellows::proxy
