// The trace of one request at one hop: read or generated, and passed to the next hop. Pure.
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
  /// Share of the requests without a sampling decision that are sampled, 0 to 1.
  double sampling = 1;
  /// Spans of sampled requests are exported.
  bool records = false;

  bool operator==(const TraceOptions&) const = default;
};

/// The trace of one request. A parent whose span is never exported would split a trace. Therefore
/// this hop names itself as the parent only if its span is exported, or if there is no other parent
/// (docs/metrics.md).
struct RequestTrace {
  TraceContext context;  ///< empty parent: the trace begins here; empty trace: not read
  SpanId span;           ///< of this hop; empty: the caller's is passed on
  TraceForm form = TraceForm::kNone;  ///< of the received trace
  bool is_recorded = false;           ///< `span` is exported when the request has ended
  bool writes_lines = false;          ///< false: received lines are passed on unchanged
};

/// Begins traces. Owner: the server. Thread: the io thread.
class Tracer {
 public:
  Tracer(const TraceOptions& options, std::uint64_t seed) : options_(options), random_(seed) {}

  /// Begins the trace of a request that has arrived. A malformed trace is replaced. From an inner
  /// hop nothing is read unless spans are recorded, because that hop has already done it.
  RequestTrace begin(const http::Fields& fields, Peer caller);

 private:
  bool decides_to_sample() {
    return options_.sampling >= 1 || random_.fraction() < options_.sampling;
  }
  SpanId new_span();

  const TraceOptions options_;
  SeededRandom random_;
};

/// Returns true if field line `i` of the request, which belongs to a trace, is passed on unchanged.
bool keeps_trace_field(const http::Fields& fields, std::size_t i, const RequestTrace& trace);

/// Appends the lines that replace those, each with its CRLF: traceparent, and the ids of B3 in the
/// received form if the trace arrived in B3.
void append_trace_lines(const http::Fields& fields, const RequestTrace& trace, std::string& out);

}  // namespace bellows::proxy
