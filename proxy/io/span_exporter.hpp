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

/// Sends by POST to `path` at `collector`. Another thread resolves a host name.
SpanExporterWorld collector_at(Endpoint collector, std::string path);

struct SpanExporterCounters {
  std::uint64_t exported = 0;    ///< accepted by the collector
  std::uint64_t overflowed = 0;  ///< dropped because too many waited
  std::uint64_t failed = 0;      ///< dropped after the last try, or rejected by the collector
  std::uint64_t failures = 0;    ///< failed tries
};

/// Exports spans in batches. A span is written as JSON when its request ends. A batch is sent a
/// second after its first span, or at once with SpanBatch::kEnough spans; one POST runs at a time.
/// A collector that cannot be reached, or asks for a retry (429, 502, 503, 504), gets four tries,
/// with 1, 2 and 4 s between; after another status the batch is dropped. Requests never wait for
/// any of this. The first failure of an outage is a warning in the log, and its end a line.
/// Programs create one only if there is an otlp-endpoint. Destroy it after stop(), or when the
/// io_context no longer runs. Owner: the program; outlives the server that it observes. Thread: the
/// io thread.
class SpanExporter final : private http::Timer {
 public:
  static constexpr Duration kInterval = std::chrono::seconds(1);
  static constexpr Duration kPostTime = std::chrono::seconds(5);
  static constexpr int kMaxTries = 4;

  SpanExporter(http::Reactor& reactor, SpanSource source, SpanExporterWorld world);
  ~SpanExporter() override;
  SpanExporter(const SpanExporter&) = delete;
  SpanExporter& operator=(const SpanExporter&) = delete;

  /// Adds the span of an exchange that has ended, if it is recorded.
  void record(const Exchange& exchange, const Outcome& outcome);
  /// These are the two halves of record(), for the exchanges of other loops. json_of() returns the
  /// span as JSON on any thread, or nullopt if it is not recorded. add() takes it on the thread of
  /// this exporter.
  std::optional<std::string> json_of(const Exchange& exchange, const Outcome& outcome) const;
  void add(std::string_view span);

  SpanExporterCounters counters() const;

  /// Sends the waiting spans once, and returns by `deadline` at the latest.
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  void on_expiry() override { send(); }
  void send();
  http::Awaitable<void> send_all();
  http::Awaitable<void> deliver(SpansTaken spans);
  /// Returns true if the batch is finished: accepted, or not worth a retry.
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

/// Makes the exporter of a program with these settings; returns nullptr without an otlp-endpoint.
std::unique_ptr<SpanExporter> make_span_exporter(http::Reactor& reactor,
                                                 const config::TraceSettings& settings,
                                                 SpanSource source);

}  // namespace bellows::proxy
