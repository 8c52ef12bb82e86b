#include "proxy/io/span_exporter.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/sys/clock.hpp"
#include "base/sys/log.hpp"
#include "http/io/client.hpp"
#include "http/io/resolve.hpp"

namespace bellows::proxy {

namespace {

constexpr Duration kFirstPause = std::chrono::seconds(1);
constexpr std::size_t kMaxResponse = std::size_t{64} * 1024;

http::Awaitable<Result<http::Response>> post(Endpoint collector, std::string path,
                                             std::string body) {
  // Look-ups of names run one after the other: another one behind a silent name server would only
  // delay those of the data path.
  if (http::pending_lookups() > 0) {
    co_return fail(ErrorKind::kTimeout, to_string(collector),
                   "a look-up of names has not ended yet");
  }
  http::FetchOptions options;
  options.timeout = SpanExporter::kPostTime;
  options.max_body_bytes = kMaxResponse;
  // JSON is what fetch() sends without a Content-Type.
  co_return co_await http::fetch(std::move(collector), "POST", std::move(path), std::move(body), {},
                                 options);
}

/// Returns true for the only statuses after which OTLP/HTTP allows a retry.
bool asks_for_another_try(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

/// Returns the lines of tracestate as one list (RFC 9110 5.3).
std::string trace_state_of(const http::Fields& fields) {
  std::string state;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields.id(i) != http::FieldId::kTracestate) continue;
    if (!state.empty()) state += ',';
    state += fields.value(i);
  }
  return state;
}

Span span_of(const Exchange& exchange, const Outcome& outcome) {
  const http::RequestHead& head = exchange.head();
  const RequestTrace& trace = exchange.trace();
  Span span;
  span.trace = trace.context.trace;
  span.id = trace.span;
  span.parent = trace.context.parent;
  span.method = head.method;
  span.host = head.host;
  span.path = head.path;
  span.client = exchange.peer_ip();
  span.minor_version = head.minor_version;
  span.status = outcome.status;
  if (outcome.error) span.error = to_string(*outcome.error);
  span.request_bytes = outcome.request_bytes;
  span.response_bytes = outcome.response_bytes;
  span.retries = outcome.upstream_tries - 1;
  span.queued = outcome.queued;
  if (const AccessNotes* notes = exchange.notes(); notes != nullptr) {
    span.service = notes->service;
    span.revision = notes->revision;
    span.replica = notes->replica;
    span.parts = notes->parts;
  }
  return span;
}

}  // namespace

SpanExporterWorld collector_at(Endpoint collector, std::string path) {
  return {.post = [collector = std::move(collector), path = std::move(path)](
                      std::string body) { return post(collector, path, std::move(body)); },
          .sleep = http::sleep_for};
}

SpanExporter::SpanExporter(http::Reactor& reactor, SpanSource source, SpanExporterWorld world)
    : http::Timer(reactor.timers()),
      reactor_(reactor),
      source_(std::move(source)),
      world_(std::move(world)),
      tasks_(reactor.io()) {}

SpanExporter::~SpanExporter() = default;

void SpanExporter::record(const Exchange& exchange, const Outcome& outcome) {
  if (auto span = json_of(exchange, outcome)) add(*span);
}

std::optional<std::string> SpanExporter::json_of(const Exchange& exchange,
                                                 const Outcome& outcome) const {
  if (!exchange.trace().is_recorded) return std::nullopt;
  const AccessNotes* const notes = exchange.notes();
  if (notes != nullptr && notes->is_probe) return std::nullopt;
  Span span = span_of(exchange, outcome);
  const std::string trace_state = exchange.trace().form == TraceForm::kTraceparent
                                      ? trace_state_of(exchange.head().fields)
                                      : std::string();
  span.trace_state = trace_state;
  span.ended = reactor_.clock().wall_now();
  span.began = span.ended - outcome.total;
  return span_json(span);
}

void SpanExporter::add(std::string_view span) {
  if (!batch_.add(span) || is_sending_) return;
  if (batch_.has_enough()) {
    send();
  } else if (deadline() == TimePoint::max()) {
    set_deadline(reactor_.now() + kInterval);
  }
}

SpanExporterCounters SpanExporter::counters() const {
  SpanExporterCounters counters = counters_;
  counters.overflowed = batch_.dropped();
  return counters;
}

void SpanExporter::send() {
  clear_deadline();
  if (is_sending_) return;
  is_sending_ = true;
  tasks_.spawn("export spans", [this] { return send_all(); });
}

http::Awaitable<void> SpanExporter::send_all() {
  do {
    SpansTaken spans = batch_.take();
    if (spans.count > 0) co_await deliver(std::move(spans));
  } while (batch_.has_enough() || (is_stopping_ && !batch_.empty()));
  is_sending_ = false;
  if (!batch_.empty()) set_deadline(reactor_.now() + kInterval);
}

http::Awaitable<void> SpanExporter::deliver(SpansTaken spans) {
  Duration pause = kFirstPause;
  for (int tries = 1;; ++tries) {
    std::string body = export_body(source_, spans.text);
    const Result<http::Response> response = co_await world_.post(std::move(body));
    if (is_settled(response, spans)) co_return;
    if (tries == kMaxTries || is_stopping_) break;
    const bool has_slept = co_await world_.sleep(pause);
    if (!has_slept) break;
    pause *= 2;
  }
  counters_.failed += spans.count;
}

bool SpanExporter::is_settled(const Result<http::Response>& response, const SpansTaken& spans) {
  if (response && response->status >= 200 && response->status < 300) {
    const std::uint64_t rejected =
        std::min<std::uint64_t>(rejected_spans(response->body), spans.count);
    counters_.exported += spans.count - rejected;
    counters_.failed += rejected;
    if (std::exchange(is_outage_logged_, false)) sys::log::info("spans are exported again");
    if (rejected > 0) log_outage("the collector rejects some");
    return true;
  }
  ++counters_.failures;
  log_outage(response ? "the collector responds " + std::to_string(response->status)
                      : to_string(response.error()));
  if (!response || asks_for_another_try(response->status)) return false;
  counters_.failed += spans.count;
  return true;
}

/// Logs one line per outage rather than one per try.
void SpanExporter::log_outage(const std::string& why) {
  if (std::exchange(is_outage_logged_, true)) return;
  sys::log::warning("spans cannot be exported", {{"error", why}});
}

http::Awaitable<void> SpanExporter::stop(TimePoint deadline) {
  constexpr Duration kCutOff = std::chrono::milliseconds(100);
  is_stopping_ = true;
  if (!batch_.empty()) send();
  const Result<void> has_ended = co_await tasks_.join(deadline);
  if (has_ended) co_return;
  tasks_.stop();
  (void)co_await tasks_.join(deadline + kCutOff);
}

std::unique_ptr<SpanExporter> make_span_exporter(http::Reactor& reactor,
                                                 const config::TraceSettings& settings,
                                                 SpanSource source) {
  auto collector = settings.collector();
  if (!collector) return nullptr;
  return std::make_unique<SpanExporter>(
      reactor, std::move(source),
      collector_at(std::move(collector->endpoint), std::move(collector->path)));
}

}  // namespace bellows::proxy
