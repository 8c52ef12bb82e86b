// Settings of traces: alike in every program that serves requests.
#pragma once

#include <optional>
#include <string>

#include "base/endpoint.hpp"
#include "config/schema.hpp"

namespace bellows::config {

/// A collector of spans (OTLP over HTTP).
struct CollectorUrl {
  Endpoint endpoint;
  std::string path;  ///< starts with '/'

  bool operator==(const CollectorUrl&) const = default;
};

/// Reads http://HOST:PORT, whose path is /v1/traces, or http://HOST:PORT/PATH. nullopt: anything
/// else; spans are not sent by TLS.
std::optional<CollectorUrl> parse_collector_url(std::string_view text);

struct TraceSettings {
  double sampling = 1;        ///< trace-sampling: share of the traces begun here that are sampled
  std::string otlp_endpoint;  ///< otlp-endpoint; empty: no spans are exported

  /// nullopt: no spans are exported.
  std::optional<CollectorUrl> collector() const { return parse_collector_url(otlp_endpoint); }
  bool operator==(const TraceSettings&) const = default;
};

/// Included by every program that serves requests.
const Schema<TraceSettings>& trace_schema();

}  // namespace bellows::config
