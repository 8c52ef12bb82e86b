#include "proxy/core/span.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/printable_text.hpp"
#include "base/read_number.hpp"
#include "base/version.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::proxy {

namespace {

constexpr int kServer = 2;     // SPAN_KIND_SERVER
constexpr int kErrorCode = 2;  // STATUS_CODE_ERROR

/// Methods allowed in the name of a span, because callers can invent any number of others.
constexpr std::array<std::string_view, 9> kMethods{"GET",   "HEAD",    "POST",  "PUT",    "DELETE",
                                                   "PATCH", "OPTIONS", "TRACE", "CONNECT"};

/// Writes attributes into the innermost open object of a writer. 64-bit integers are texts in OTLP.
class Attributes {
 public:
  explicit Attributes(json::Writer& writer) : writer_(writer) { writer_.open_list("attributes"); }
  void end() { writer_.close(); }

  void text(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    open(key).text("stringValue", printable(value)).close().close();
  }
  void integer(std::string_view key, std::uint64_t value) {
    open(key).text("intValue", std::to_string(value)).close().close();
  }
  void milliseconds(const std::string& key, Duration value) {
    open(key).number("doubleValue", to_seconds(value) * 1e3).close().close();
  }

 private:
  json::Writer& open(std::string_view key) { return writer_.open().text("key", key).open("value"); }

  json::Writer& writer_;
};

template <class Id>
std::string hex(Id id) {
  std::string text;
  append_hex(id, text);
  return text;
}

std::string nanoseconds(WallTime at) {
  return std::to_string(at.time_since_epoch() / std::chrono::nanoseconds(1));
}

void write_http(const Span& span, bool is_known, Attributes& attributes) {
  attributes.text("http.request.method", is_known ? span.method : "_OTHER");
  if (!is_known) attributes.text("http.request.method_original", span.method);
  attributes.text("url.scheme", "http");
  attributes.text("url.path", span.path);
  attributes.text("server.address", span.host);
  attributes.text("client.address", span.client);
  attributes.text("network.protocol.version", span.minor_version == 0 ? "1.0" : "1.1");
  if (span.status > 0) {
    attributes.integer("http.response.status_code", static_cast<std::uint64_t>(span.status));
  }
  attributes.integer("http.request.body.size", span.request_bytes);
  attributes.integer("http.response.body.size", span.response_bytes);
  attributes.text("error.type", span.error);
}

void write_own(const Span& span, Attributes& attributes) {
  attributes.text("bellows.service", span.service);
  attributes.text("bellows.revision", span.revision);
  attributes.text("bellows.replica", span.replica);
  attributes.integer("bellows.retries", static_cast<std::uint64_t>(std::max(span.retries, 0)));
  attributes.milliseconds("bellows.queue_ms", span.queued);
  for (const TimePart& part : span.parts) {
    attributes.milliseconds("bellows." + std::string(part.name) + "_ms", part.duration);
  }
}

}  // namespace

std::string span_json(const Span& span) {
  const bool is_known = std::ranges::find(kMethods, span.method) != kMethods.end();
  json::Writer writer;
  writer.text("traceId", hex(span.trace)).text("spanId", hex(span.id));
  if (!span.parent.empty()) writer.text("parentSpanId", hex(span.parent));
  if (!span.trace_state.empty()) writer.text("traceState", printable(span.trace_state));
  writer.text("name", is_known ? span.method : "HTTP")
      .integer("kind", kServer)
      .text("startTimeUnixNano", nanoseconds(span.began))
      .text("endTimeUnixNano", nanoseconds(span.ended));
  Attributes attributes(writer);
  write_http(span, is_known, attributes);
  write_own(span, attributes);
  attributes.end();
  // A mistake of the caller (4xx), or its disconnect, is no error of this side.
  if (span.status >= 500) writer.open("status").integer("code", kErrorCode).close();
  return writer.end();
}

std::string export_body(const SpanSource& source, std::string_view spans) {
  json::Writer writer;
  writer.open_list("resourceSpans").open().open("resource");
  Attributes attributes(writer);
  attributes.text("service.name", source.service);
  attributes.text("service.instance.id", source.instance);
  attributes.text("service.version", kVersion);
  attributes.end();
  writer.close().open_list("scopeSpans").open();
  writer.open("scope").text("name", "bellows").text("version", kVersion).close();
  writer.raw("spans", "[" + std::string(spans) + "]");
  return writer.close().close().close().close().end();
}

std::uint64_t rejected_spans(std::string_view response_body) {
  const auto response = json::parse(std::string(response_body));
  if (!response || !response->has("partialSuccess")) return 0;
  const auto partial = response->object("partialSuccess");
  if (!partial || !partial->has("rejectedSpans")) return 0;
  // OTLP has 64-bit integers as texts; some collectors write a number.
  const auto text = partial->setting_text("rejectedSpans");
  if (!text) return 0;
  return read_number<std::uint64_t>(*text).value_or(0);
}

}  // namespace bellows::proxy
