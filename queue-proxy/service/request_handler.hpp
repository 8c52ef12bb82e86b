// Handles one request at the queue-proxy: a probe gets a reply; any other is counted, gets a slot
// or waits in the queue, and is forwarded to the app.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "config/queue_proxy_settings.hpp"
#include "metrics/meter.hpp"
#include "metrics/service_meter.hpp"
#include "proxy/core/hop_headers.hpp"
#include "proxy/core/request_queue.hpp"
#include "proxy/io/concurrency_limiter.hpp"
#include "proxy/io/proxy_server.hpp"
#include "queue-proxy/core/occupancy.hpp"
#include "queue-proxy/core/probe_request.hpp"
#include "queue-proxy/core/readiness.hpp"
#include "queue-proxy/service/instruments.hpp"

namespace bellows::queue_proxy {

/// Meters that count requests.
struct Meters {
  metrics::ConcurrencyMeter& load;
  metrics::ServiceMeter& service;
};

/// The arguments of the constructor outlive it. Owner: the service. Thread: the io thread.
class RequestHandler final : public proxy::RequestHandler {
 public:
  /// `on_app_refused` is called when no process listens at the app's port any more.
  RequestHandler(const config::QueueProxySettings& settings, proxy::UpstreamPool& pool,
                 const Readiness& readiness, const proxy::UpstreamVersion& app_version,
                 Meters meters, Instruments& instruments, Occupancy& occupancy,
                 std::function<void()> on_app_refused);

  /// Takes limits, queue and probes from `settings` for requests from now on; the rest stays as it
  /// was. Requests that run keep their time limits.
  void follow(const config::QueueProxySettings& settings);

  http::Task<void> handle(proxy::Exchange& exchange) override;

  std::int64_t waiting() const { return limiter_.breaker().waiting(); }
  std::int64_t running() const { return limiter_.breaker().running(); }
  /// Returns the number of running requests whose response has not begun, so without tunnels and
  /// streams.
  std::int64_t awaiting_response() const { return awaiting_response_; }
  /// Returns the number of the app's responses that have begun or ended so far.
  std::uint64_t answers() const { return answers_; }
  /// Sets the reason when the app hangs and will be killed. Its requests fail with this reason and
  /// are not retried, because one of them may have caused the hang. An empty text means that a new
  /// process of the app runs.
  void set_hang(std::string why) {
    if (!why.empty()) {
      ++hangs_;
      last_hang_ = why;
    }
    hang_ = std::move(why);
  }
  /// Forwards or rejects the requests that wait for an app which refused their connections: it is
  /// ready again, or the replica drains.
  void end_refusal();
  /// Returns when the latest request that is no probe arrived; nullopt if none has.
  std::optional<TimePoint> last_arrival() const { return last_arrival_; }

 private:
  class PendingResponse;

  http::Task<void> serve(proxy::Exchange& exchange, proxy::SlotWait wait);
  http::Task<void> forward_to_app(proxy::Exchange& exchange);
  proxy::ForwardOptions options_for(const proxy::Exchange& exchange) const;
  bool may_wait_for_app(const proxy::Exchange& exchange, const Error& error) const;
  http::Task<bool> wait_for_app(proxy::Exchange& exchange);
  TimePoint wait_deadline(const proxy::Exchange& exchange) const;
  proxy::UpstreamVersion version_for(const proxy::Exchange& exchange) const;
  /// Counts a request that the app has had since `began`.
  void count_served(proxy::Exchange& exchange, TimePoint began);
  http::Task<void> reject(proxy::Exchange& exchange, const Error& error);
  static http::Task<void> refuse(proxy::Exchange& exchange, const Error& error);
  /// Appends the header lines of a response or local reply: the load of this replica for an
  /// activator, and the queue time of the request if it is due.
  void append_report(const proxy::Exchange& exchange, std::string& lines) const;

  const std::string name_;  // "replica web-1": culprit of upstream errors
  const Endpoint app_;
  proxy::UpstreamPool& pool_;
  const Readiness& readiness_;
  const proxy::UpstreamVersion& app_version_;
  const bool is_version_found_out_;
  Meters meters_;
  Instruments& instruments_;
  Occupancy& occupancy_;
  const std::function<void()> on_app_refused_;
  proxy::ProbeRules probes_;
  config::QueueTimeHeader queue_time_header_;
  const std::optional<proxy::AccessNotes> notes_;  // for each request, for access log and spans
  proxy::ForwardOptions options_;  // for each request, except for its caller and hook
  std::int64_t awaiting_response_ = 0;
  std::uint64_t answers_ = 0;
  std::string hang_;  // empty: the app does not hang
  std::string last_hang_;
  std::uint64_t hangs_ = 0;  // so far
  std::optional<TimePoint> last_arrival_;
  proxy::ConcurrencyLimiter limiter_;
  proxy::RequestQueue refused_;  // requests with a slot, whose app does not listen
};

}  // namespace bellows::queue_proxy
