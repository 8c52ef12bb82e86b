// One hop of one request as a span of OpenTelemetry, and the body of a request to a collector.
// Source: OTLP/HTTP with JSON (https://opentelemetry.io/docs/specs/otlp/), its names of HTTP
// attributes (https://opentelemetry.io/docs/specs/semconv/http/). Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "proxy/core/trace_context.hpp"

namespace bellows::proxy {

/// A part of the time of a request: attribute "bellows.NAME_ms".
struct TimePart {
  std::string_view name;  ///< has static lifetime
  Duration duration{};
};

/// A request that has ended. The call uses its views and does not keep them.
struct Span {
  TraceId trace;
  SpanId id;
  SpanId parent;                 ///< empty: the trace begins here
  std::string_view trace_state;  ///< as received
  WallTime began{};
  WallTime ended{};
  std::string_view method;
  std::string_view host;
  std::string_view path;  ///< without its query, which may contain secrets
  std::string_view client;
  int minor_version = 1;
  int status = 0;          ///< 0: none was sent
  std::string_view error;  ///< kind of the error that ended it
  std::string_view service;
  std::string_view revision;
  std::string_view replica;
  std::uint64_t request_bytes = 0;
  std::uint64_t response_bytes = 0;
  int retries = 0;
  Duration queued{};
  std::span<const TimePart> parts{};
};

/// Returns a JSON object: a `Span` of OTLP, of kind server. Texts are cut at 1 KiB.
std::string span_json(const Span& span);

/// The program that sends spans.
struct SpanSource {
  std::string service;        ///< service.name: "bellows-activator"
  std::string instance = {};  ///< service.instance.id: the pod; empty: none
};

/// Returns an `ExportTraceServiceRequest`. `spans` are results of span_json(), separated by commas.
std::string export_body(const SpanSource& source, std::string_view spans);

/// Returns how many spans the collector has rejected while it accepted the rest (`partialSuccess`);
/// 0 also for a body without that member or that is not JSON.
std::uint64_t rejected_spans(std::string_view response_body);

}  // namespace bellows::proxy
