// Sends the spans of sampled requests to a collector, by OTLP over HTTP with JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/endpoint.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "config/trace_settings.hpp"
#include "http/io/message.hpp"
#include "http/io/reactor.hpp"
#include "http/io/task_group.hpp"
#include "proxy/core/span.hpp"
#include "proxy/core/span_batch.hpp"
#include "proxy/io/exchange.hpp"

namespace bellows::proxy {

/// The exporter's dependencies; tests replace them.
struct SpanExporterWorld {
  /// Sends the body and returns the collector's response, within kPostTime.
  std::function<http::Awaitable<Result<http::Response>>(std::string body)> post;
  std::function<http::Awaitable<bool>(Duration)> sleep;  ///< false if cancelled
};

/// POST to `path` at `collector`. A name of a host is looked up by another thread.
SpanExporterWorld collector_at(Endpoint collector, std::string path);

struct SpanExporterCounters {
  std::uint64_t exported = 0;    ///< taken by the collector
  std::uint64_t overflowed = 0;  ///< dropped because too many waited
  std::uint64_t failed = 0;      ///< dropped after the last try, or rejected by the collector
  std::uint64_t failures = 0;    ///< tries that failed
};

/// Spans are written as JSON when their request ends, and sent together: a second after the first,
/// or at once when there are SpanBatch::kEnough. One POST at a time. A collector that cannot be
/// reached, or asks for another try (429, 502, 503, 504), gets four, with 1, 2 and 4 s between;
/// after another status the batch is dropped. Nothing waits for any of this. The first failure of
/// an outage is a warning in the log, and its end a line. Programs create one only if there is an
/// otlp-endpoint. Owner: the program; outlives the server that it observes. Thread: the io thread.
/// Destroy it after stop(), or when the io_context no longer runs.
class SpanExporter final : private http::Timer {
 public:
  static constexpr Duration kInterval = std::chrono::seconds(1);
  static constexpr Duration kPostTime = std::chrono::seconds(5);
  static constexpr int kMaxTries = 4;

  SpanExporter(http::Reactor& reactor, SpanSource source, SpanExporterWorld world);
  ~SpanExporter() override;
  SpanExporter(const SpanExporter&) = delete;
  SpanExporter& operator=(const SpanExporter&) = delete;

  /// An exchange has ended. Does nothing unless its span is recorded.
  void record(const Exchange& exchange, const Outcome& outcome);
  /// The two halves of record(), for the exchanges of other loops: the span as JSON, by any thread;
  /// nullopt: it is not recorded. Then add(), by the thread of this exporter.
  std::optional<std::string> json_of(const Exchange& exchange, const Outcome& outcome) const;
  void add(std::string_view span);

  SpanExporterCounters counters() const;

  /// Sends what waits, once, and ends by `deadline` at the latest.
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  void on_expiry() override { send(); }
  void send();
  http::Awaitable<void> send_all();
  http::Awaitable<void> deliver(SpansTaken spans);
  /// True if the batch is done with: taken, or not worth another try.
  bool is_settled(const Result<http::Response>& response, const SpansTaken& spans);
  void log_outage(const std::string& why);

  http::Reactor& reactor_;
  const SpanSource source_;
  const SpanExporterWorld world_;
  SpanBatch batch_;
  SpanExporterCounters counters_;
  bool is_sending_ = false;
  bool is_stopping_ = false;
  bool is_outage_logged_ = false;
  http::TaskGroup tasks_;
};

/// Of a program with these settings; nullptr if there is no otlp-endpoint.
std::unique_ptr<SpanExporter> make_span_exporter(http::Reactor& reactor,
                                                 const config::TraceSettings& settings,
                                                 SpanSource source);

}  // namespace bellows::proxy
