// The trace of one request at one hop: read or made, and what the next hop is told. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/random.hpp"
#include "http/core/head.hpp"
#include "proxy/core/header_rules.hpp"
#include "proxy/core/trace_context.hpp"

namespace bellows::proxy {

struct TraceOptions {
  /// Share of the requests without a sampling decision that get the sampled flag, 0 to 1.
  double sampling = 1;
  /// Spans of sampled requests are exported.
  bool records = false;

  bool operator==(const TraceOptions&) const = default;
};

/// A parent that nobody reports would cut a trace in two, so this hop names itself as the parent
/// only if its span is exported, or if there is no other one (docs/metrics.md).
struct RequestTrace {
  TraceContext context;  ///< its parent is empty if the trace begins here; its trace: not read
  SpanId span;           ///< of this hop; empty: the next hop is told the caller's
  TraceForm form = TraceForm::kNone;  ///< of what came
  bool is_recorded = false;           ///< `span` is exported when the request has ended
  bool writes_lines = false;          ///< else the lines that came are handed on as they are
};

/// Owner: the server. Thread: the io thread.
class Tracer {
 public:
  Tracer(const TraceOptions& options, std::uint64_t seed) : options_(options), random_(seed) {}

  /// Of a request that has arrived. A trace that cannot be read is replaced. From an inner hop
  /// nothing is read unless spans are recorded: that hop has done it.
  RequestTrace begin(const http::Fields& fields, Peer caller);

 private:
  bool decides_to_sample() {
    return options_.sampling >= 1 || random_.fraction() < options_.sampling;
  }
  SpanId new_span();

  const TraceOptions options_;
  SeededRandom random_;
};

/// True if field line `i` of the request, one of a trace, is handed on as it came.
bool keeps_trace_field(const http::Fields& fields, std::size_t i, const RequestTrace& trace);

/// Appends the lines in the place of those, each with its CRLF: traceparent, and the ids of B3 if
/// the trace came by it, in the form in which it came.
void append_trace_lines(const http::Fields& fields, const RequestTrace& trace, std::string& out);

}  // namespace bellows::proxy
