// Settings of traces, alike in every program that serves requests.
#pragma once

#include <optional>
#include <string>

#include "base/endpoint.hpp"

namespace bellows::config {

/// A collector of spans (OTLP over HTTP).
struct CollectorUrl {
  Endpoint endpoint;
  std::string path;  ///< starts with '/'

  bool operator==(const CollectorUrl&) const = default;
};

/// Reads http://HOST:PORT, whose path is /v1/traces, or http://HOST:PORT/PATH. nullopt for any
/// other text; spans are never sent by TLS.
std::optional<CollectorUrl> parse_collector_url(std::string_view text);

struct TraceSettings {
  double sampling = 1;        ///< trace-sampling: share of the traces begun here that are sampled
  std::string otlp_endpoint;  ///< otlp-endpoint; empty: no spans are exported

  /// Returns nullopt if no spans are exported.
  std::optional<CollectorUrl> collector() const { return parse_collector_url(otlp_endpoint); }
  bool operator==(const TraceSettings&) const = default;
};

}  // namespace bellows::config
