#include "proxy/io/server_series.hpp"

namespace bellows::proxy {

using metrics::prometheus::AddSeries;

namespace {

/// Adds only the kinds that have occurred: most never do, and each replica has these series.
void add_abuses(const AddSeries& add, std::string_view side, const http2::AbuseCounts& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const std::string_view kind = abuse_name(static_cast<http2::Abuse>(i));
    add({{"side", std::string(side)}, {"kind", std::string(kind)}}, static_cast<double>(counts[i]));
  }
}

void add_counts(http2::AbuseCounts& to, const http2::AbuseCounts& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) to[i] += counts[i];
}

}  // namespace

ServerTotals& ServerTotals::operator+=(const ServerTotals& other) {
  counters += other.counters;
  accept_failures += other.accept_failures;
  add_counts(downstream_abuses, other.downstream_abuses);
  add_counts(upstream_abuses, other.upstream_abuses);
  return *this;
}

ServerTotals totals_of(const ProxyServer& server, const UpstreamPool& pool) {
  return {.counters = server.counters(),
          .accept_failures = server.accept_failures(),
          .downstream_abuses = server.http2_abuses().counts(),
          .upstream_abuses = pool.http2_abuses().counts()};
}

std::vector<metrics::prometheus::Listing> list_server_series(
    metrics::prometheus::Registry& registry, const std::string& prefix, const ProxyServer& server,
    const UpstreamPool& pool) {
  return list_server_series(registry, prefix, [&server, &pool] { return totals_of(server, pool); });
}

std::vector<metrics::prometheus::Listing> list_server_series(
    metrics::prometheus::Registry& registry, const std::string& prefix,
    const std::function<ServerTotals()>& totals) {
  const auto rejected = [totals](const AddSeries& add) {
    const ProxyCounters counters = totals().counters;
    for (const auto& [status, count] : counters.rejected_heads) {
      add({{"code", std::to_string(status)}}, static_cast<double>(count));
    }
  };
  const auto aborted = [totals](const AddSeries& add) {
    const ProxyCounters counters = totals().counters;
    for (std::size_t by = 0; by < kAbortedByNames.size(); ++by) {
      add({{"by", kAbortedByNames[by]}}, static_cast<double>(counters.aborted[by]));
    }
  };
  const auto failures = [totals](const AddSeries& add) {
    add({}, static_cast<double>(totals().accept_failures));
  };
  const auto closed = [totals](const AddSeries& add) {
    const ProxyCounters counters = totals().counters;
    add({{"limit", "max-connections"}}, static_cast<double>(counters.replaced_connections));
    add({{"limit", "max-connections-per-client"}},
        static_cast<double>(counters.refused_connections));
  };
  const auto abuses = [totals](const AddSeries& add) {
    const ServerTotals all = totals();
    add_abuses(add, "downstream", all.downstream_abuses);
    add_abuses(add, "upstream", all.upstream_abuses);
  };
  return {registry.list_counters(
              prefix + "_http2_abuses_total",
              "Actions of peers that HTTP/2 forbids, or that were too frequent, by side and kind.",
              abuses),
          registry.list_counters(prefix + "_closed_connections_total",
                                 "Connections of callers closed because of a limit: "
                                 "max-connections, the one without a request for the longest; "
                                 "max-connections-per-client, the new one.",
                                 closed),
          registry.list_counters(prefix + "_rejected_heads_total",
                                 "Requests rejected because of their head, by the status sent.",
                                 rejected),
          registry.list_counters(prefix + "_aborted_total",
                                 "Requests without a complete response: downstream disconnected or "
                                 "did not read, the upstream ended, or this program was stopped.",
                                 aborted),
          registry.list_counters(prefix + "_accept_failures_total",
                                 "Connections not accepted because descriptors or memory were "
                                 "exhausted.",
                                 failures)};
}

std::vector<metrics::prometheus::Listing> list_span_series(metrics::prometheus::Registry& registry,
                                                           const std::string& prefix,
                                                           const SpanExporter& spans) {
  const auto by_outcome = [&spans](const AddSeries& add) {
    const SpanExporterCounters counters = spans.counters();
    add({{"outcome", "exported"}}, static_cast<double>(counters.exported));
    add({{"outcome", "overflowed"}}, static_cast<double>(counters.overflowed));
    add({{"outcome", "failed"}}, static_cast<double>(counters.failed));
  };
  const auto failures = [&spans](const AddSeries& add) {
    add({}, static_cast<double>(spans.counters().failures));
  };
  return {
      registry.list_counters(prefix + "_spans_total",
                             "Spans of sampled requests: exported to the collector; overflowed, "
                             "dropped because too many waited; failed, dropped after the last "
                             "try or rejected by the collector.",
                             by_outcome),
      registry.list_counters(prefix + "_span_export_failures_total",
                             "Requests to the collector that failed.", failures)};
}

}  // namespace bellows::proxy
