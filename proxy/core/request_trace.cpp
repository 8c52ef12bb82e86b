#include "proxy/core/request_trace.hpp"

#include <string_view>

namespace bellows::proxy {

namespace {

using http::FieldId;
using http::Fields;

/// Returns true if the ids of B3 are rewritten.
bool renews_b3(const RequestTrace& trace, TraceForm form) {
  return trace.form == form && !trace.span.empty();
}

void append_span(std::string_view name, SpanId id, std::string& out) {
  out += name;
  append_hex(id, out);
  out += "\r\n";
}

/// Appends a `b3` line that keeps the 16 or 32 digits of the trace id, and the letter of the
/// decision ("d").
void append_b3(const Fields& fields, const RequestTrace& trace, std::string& out) {
  const std::string_view came = fields.find("b3").value_or("");
  const std::size_t trace_end = came.find('-');
  const std::size_t span_end = came.find('-', trace_end + 1);
  out += "b3: ";
  out += came.substr(0, trace_end + 1);
  append_hex(trace.span, out);
  out += '-';
  const bool has_decision = span_end != std::string_view::npos;
  out += has_decision ? came[span_end + 1] : trace.context.is_sampled ? '1' : '0';
  out += '-';
  append_hex(trace.context.parent, out);
  out += "\r\n";
}

void append_b3_fields(const Fields& fields, const RequestTrace& trace, std::string& out) {
  append_span("X-B3-SpanId: ", trace.span, out);
  append_span("X-B3-ParentSpanId: ", trace.context.parent, out);
  if (fields.find("x-b3-sampled") || fields.find("x-b3-flags")) return;
  out += trace.context.is_sampled ? "X-B3-Sampled: 1\r\n" : "X-B3-Sampled: 0\r\n";
}

bool is_one_of(std::string_view name, std::string_view a, std::string_view b) {
  return http::equals_lower(name, a) || http::equals_lower(name, b);
}

}  // namespace

RequestTrace Tracer::begin(const Fields& fields, Peer caller) {
  if (caller == Peer::kInside && !options_.records) return {};
  const ReceivedTrace received = read_trace(fields);
  RequestTrace trace;
  trace.form = received.form;
  if (received.context) {
    trace.context = *received.context;
  } else {
    while (trace.context.trace.empty()) trace.context.trace = {random_.next(), random_.next()};
  }
  if (received.form != TraceForm::kTraceparent) {
    trace.context.is_sampled = received.is_sampled ? *received.is_sampled : decides_to_sample();
  }
  trace.is_recorded = options_.records && trace.context.is_sampled;
  if (trace.is_recorded || !received.context) trace.span = new_span();
  trace.writes_lines = trace.is_recorded || received.form != TraceForm::kTraceparent;
  return trace;
}

SpanId Tracer::new_span() {
  SpanId span;
  while (span.empty()) span.value = random_.next();
  return span;
}

bool keeps_trace_field(const Fields& fields, std::size_t i, const RequestTrace& trace) {
  if (!trace.writes_lines) return true;
  switch (fields.id(i)) {
    case FieldId::kTraceparent:
      return false;
    case FieldId::kTracestate:
      return trace.form == TraceForm::kTraceparent;
    default:
      break;
  }
  if (renews_b3(trace, TraceForm::kB3Single)) return !http::equals_lower(fields.name(i), "b3");
  if (!renews_b3(trace, TraceForm::kB3Many)) return true;
  return !is_one_of(fields.name(i), "x-b3-spanid", "x-b3-parentspanid");
}

void append_trace_lines(const Fields& fields, const RequestTrace& trace, std::string& out) {
  if (!trace.writes_lines) return;
  TraceContext next = trace.context;
  if (!trace.span.empty()) next.parent = trace.span;
  out += "traceparent: ";
  append_traceparent(next, out);
  out += "\r\n";
  if (renews_b3(trace, TraceForm::kB3Single)) append_b3(fields, trace, out);
  if (renews_b3(trace, TraceForm::kB3Many)) append_b3_fields(fields, trace, out);
}

}  // namespace bellows::proxy
