// What every proxy of Bellows tells Prometheus about its connections.
#pragma once

#include <string>
#include <vector>

#include "metrics/prometheus/instruments.hpp"
#include "proxy/io/proxy_server.hpp"

namespace bellows::proxy {

/// PREFIX_refused_heads_total{code}, PREFIX_cut_total{by} and PREFIX_accept_failures_total,
/// read from `server` when somebody asks. `server` outlives what is returned.
[[nodiscard]] std::vector<metrics::prometheus::Listing> list_server_series(
    metrics::prometheus::Registry& registry, const std::string& prefix, const ProxyServer& server);

}  // namespace bellows::proxy
