#include "queue-proxy/service/request_handler.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "proxy/core/grpc.hpp"
#include "proxy/core/hop_headers.hpp"
#include "proxy/core/local_reply.hpp"

namespace bellows::queue_proxy {

namespace {

using proxy::SlotWait;

constexpr int kSwitchingProtocols = 101;
/// Between two tries of an app whose readiness is that of another port.
constexpr Duration kTryAgain = std::chrono::milliseconds(100);

proxy::BreakerLimits limits_of(const config::QueueProxySettings& settings) {
  const proxy::SlotCount slots = settings.container_concurrency > 0
                                     ? proxy::SlotCount(settings.container_concurrency)
                                     : std::nullopt;
  return {.slots = slots,
          .queue = {.count = settings.waiting_limit(),
                    .bytes = settings.queue_bytes,
                    .age = settings.queue_age}};
}

/// Each request has a slot, so the number of slots bounds their count.
proxy::QueueLimits refused_limits(const config::QueueProxySettings& settings) {
  return {.count = std::numeric_limits<std::int64_t>::max(),
          .bytes = settings.queue_bytes,
          .age = settings.queue_age};
}

proxy::TimeLimits time_limits(const config::QueueProxySettings& settings) {
  return {.total = settings.request_timeout,
          .response_start = settings.response_start_timeout,
          .idle = settings.idle_timeout,
          .tunnel = settings.max_tunnel_life};
}

/// A request that waits for its app.
class RefusedRequest final : public proxy::QueueEntry {
 public:
  explicit RefusedRequest(http::Waiter& waiter) : waiter_(waiter) {}

 private:
  void on_granted() override { waiter_.wake(); }
  void on_expired() override { waiter_.wake(); }

  http::Waiter& waiter_;
};

std::optional<proxy::AccessNotes> notes_of(const config::QueueProxySettings& settings) {
  if (!settings.access_log.enabled && settings.trace.otlp_endpoint.empty()) return std::nullopt;
  const RevisionId& service = settings.service.empty() ? settings.revision : settings.service;
  return proxy::AccessNotes{
      .service = service.text(),
      .revision = settings.revision.text(),
      .replica = settings.pod.text(),
      .upstream = to_string(
          Endpoint{.host = settings.user_host, .port = settings.user_port, .unix_path = {}}),
      .is_probe = false};
}

/// Returns true for gRPC itself; grpc-web uses HTTP/1.1.
bool is_grpc(const http::RequestHead& head) {
  if (!proxy::is_grpc_call(head)) return false;
  const auto type = head.fields.find(http::FieldId::kContentType);
  return type && !type->starts_with("application/grpc-web");
}

/// Counts a request as load from its arrival to its end.
class CountedRequest {
 public:
  CountedRequest(proxy::Exchange& exchange, metrics::ConcurrencyMeter& meter,
                 Instruments& instruments)
      : exchange_(exchange), meter_(meter), instruments_(instruments) {
    meter_.enter(exchange_.arrived());
  }
  ~CountedRequest() {
    const TimePoint now = exchange_.reactor().now();
    if (is_withdrawn_) {
      meter_.withdraw(now);
      return;
    }
    meter_.leave(now);
    const proxy::Outcome& outcome = exchange_.outcome();
    instruments_.request_ended(outcome.status, now - exchange_.arrived());
    if (outcome.queued > Duration::zero()) instruments_.request_waited(outcome.queued);
    if (outcome.upstream_tries > 1) instruments_.upstream_retries.add();
  }
  CountedRequest(const CountedRequest&) = delete;
  CountedRequest& operator=(const CountedRequest&) = delete;

  /// Withdraws a request that is served elsewhere; it counted as load while it waited.
  void withdraw() { is_withdrawn_ = true; }

 private:
  proxy::Exchange& exchange_;
  metrics::ConcurrencyMeter& meter_;
  Instruments& instruments_;
  bool is_withdrawn_ = false;
};

}  // namespace

/// A request in the app. It counts as awaiting its response until the response begins, and adds the
/// hop headers to it.
class RequestHandler::PendingResponse final : public proxy::ResponseHook {
 public:
  PendingResponse(RequestHandler& handler, const proxy::Exchange& exchange)
      : handler_(handler), exchange_(exchange) {
    ++handler_.awaiting_response_;
  }
  ~PendingResponse() override {
    end();
    if (is_tunnel_) handler_.occupancy_.tunnel_closed();
  }
  PendingResponse(const PendingResponse&) = delete;
  PendingResponse& operator=(const PendingResponse&) = delete;

  void on_response_head(const http::ResponseHead& head, std::string& extra_lines) override {
    end();
    ++handler_.answers_;
    if (head.status == kSwitchingProtocols && !std::exchange(is_tunnel_, true)) {
      handler_.occupancy_.tunnel_opened();
    }
    handler_.append_report(exchange_, extra_lines);
  }

 private:
  void end() {
    if (std::exchange(is_pending_, false)) --handler_.awaiting_response_;
  }

  RequestHandler& handler_;
  const proxy::Exchange& exchange_;
  bool is_pending_ = true;
  bool is_tunnel_ = false;
};

RequestHandler::RequestHandler(const config::QueueProxySettings& settings,
                               proxy::UpstreamPool& pool, const Readiness& readiness,
                               const proxy::UpstreamVersion& app_version, Meters meters,
                               Instruments& instruments, Occupancy& occupancy,
                               std::function<void()> on_app_refused)
    : name_(settings.pod.empty() ? "replica" : "replica " + settings.pod.text()),
      app_{.host = settings.user_host, .port = settings.user_port, .unix_path = {}},
      pool_(pool),
      readiness_(readiness),
      app_version_(app_version),
      is_version_found_out_(settings.app_protocol == config::AppProtocol::kAuto),
      meters_(meters),
      instruments_(instruments),
      occupancy_(occupancy),
      on_app_refused_(std::move(on_app_refused)),
      probes_(settings.probe_user_agents, settings.probe_paths),
      queue_time_header_(settings.queue_time_header),
      notes_(notes_of(settings)),
      limiter_(name_, limits_of(settings), settings.request_timeout),
      refused_(refused_limits(settings)) {
  options_.limits = time_limits(settings);
  options_.upstream = proxy::Peer::kOutside;
  options_.upstream_name = name_;
  options_.ended_because = &hang_;
}

void RequestHandler::follow(const config::QueueProxySettings& settings) {
  probes_ = proxy::ProbeRules(settings.probe_user_agents, settings.probe_paths);
  queue_time_header_ = settings.queue_time_header;
  options_.limits = time_limits(settings);
  refused_.set_limits(refused_limits(settings));
  limiter_.set_limits(limits_of(settings), settings.request_timeout);
}

http::Task<void> RequestHandler::handle(proxy::Exchange& exchange) {
  const ProbeRequest probe = probe_request(exchange.head(), probes_);
  if (notes_) exchange.make_notes() = *notes_;
  if (probe != ProbeRequest::kNone) {
    if (notes_) exchange.make_notes().is_probe = true;
    return exchange.send_local_reply(probe_reply(probe, exchange.head(), readiness_, name_));
  }
  const SlotWait wait = exchange.caller() == proxy::Peer::kInside
                            ? proxy::read_slot_wait(exchange.head().fields)
                            : SlotWait::kUnbounded;
  if (wait == SlotWait::kNone && !limiter_.breaker().has_free_slot()) {
    return refuse(exchange, limiter_.no_free_slot());
  }
  return serve(exchange, wait);
}

/// Rejects a request that the activator keeps, because the activator may find a slot elsewhere.
http::Task<void> RequestHandler::refuse(proxy::Exchange& exchange, const Error& error) {
  proxy::LocalReply reply = proxy::local_reply_for(error);
  proxy::append_hop_headers({.may_retry_elsewhere = true}, reply.extra_lines);
  return exchange.send_local_reply(std::move(reply));
}

http::Task<void> RequestHandler::serve(proxy::Exchange& exchange, SlotWait wait) {
  CountedRequest counted(exchange, meters_.load, instruments_);
  last_arrival_ = exchange.arrived();
  proxy::Slot slot = limiter_.try_acquire(exchange.arrived());
  if (!slot) {
    std::optional<Duration> max_wait;
    if (wait != SlotWait::kUnbounded) max_wait = proxy::kBriefWait;
    auto acquired = co_await limiter_.acquire(exchange, max_wait);
    if (!acquired) {
      if (exchange.has_hung_up()) co_return;
      const bool is_refused = max_wait && acquired.error().kind() == ErrorKind::kOverloaded;
      if (!is_refused) co_return co_await reject(exchange, acquired.error());
      counted.withdraw();
      co_return co_await refuse(exchange, acquired.error());
    }
    slot = std::move(*acquired);
  }
  co_await forward_to_app(exchange);
}

http::Task<void> RequestHandler::reject(proxy::Exchange& exchange, const Error& error) {
  meters_.service.refused();
  proxy::LocalReply reply = limiter_.rejection_reply(error, exchange.reactor().now());
  append_report(exchange, reply.extra_lines);
  if (error.kind() == ErrorKind::kTimeout && exchange.caller() == proxy::Peer::kInside) {
    proxy::append_hop_headers({.timed_out_in_queue = true}, reply.extra_lines);
  }
  exchange.note_failure(error.kind());
  return exchange.send_local_reply(std::move(reply));
}

void RequestHandler::append_report(const proxy::Exchange& exchange, std::string& lines) const {
  const Duration queued = exchange.outcome().queued;
  const bool was_queued = queued > Duration::zero();
  if (exchange.caller() == proxy::Peer::kInside) {
    proxy::append_hop_headers(
        {.in_flight = static_cast<std::int32_t>(running() + waiting()),
         .queue_ms = was_queued ? std::optional(to_milliseconds(queued)) : std::nullopt},
        lines);
    return;
  }
  const bool is_due = queue_time_header_ == config::QueueTimeHeader::kAlways ||
                      (queue_time_header_ == config::QueueTimeHeader::kWaited && was_queued) ||
                      proxy::asks_for_queue_time(exchange.head().fields);
  if (is_due) proxy::append_hop_headers({.queue_ms = to_milliseconds(queued)}, lines);
}

void RequestHandler::count_served(proxy::Exchange& exchange, TimePoint began) {
  const proxy::Outcome& outcome = exchange.outcome();
  if (outcome.aborted_by == proxy::AbortedBy::kDownstream) return;
  const bool is_error = outcome.status == 0 || outcome.status >= 500;
  if (outcome.was_upgraded) return meters_.service.ended_untimed(is_error);
  meters_.service.ended(exchange.reactor().now() - began, is_error);
}

/// Selects the version for a request. A detected HTTP/2 app gets upgrades over HTTP/1.1, because
/// few apps know the extended CONNECT that would replace them. A detected HTTP/1.1 app gets gRPC
/// calls over HTTP/2, because gRPC has no other version.
proxy::UpstreamVersion RequestHandler::version_for(const proxy::Exchange& exchange) const {
  if (!is_version_found_out_) return app_version_;
  if (exchange.head().requests_upgrade()) return proxy::UpstreamVersion::kHttp1;
  if (exchange.is_http2() && is_grpc(exchange.head())) return proxy::UpstreamVersion::kHttp2;
  return app_version_;
}

proxy::ForwardOptions RequestHandler::options_for(const proxy::Exchange& exchange) const {
  proxy::ForwardOptions options = options_;
  options.downstream = exchange.caller();
  options.limits.total = exchange.time_limit(options_.limits.total);
  options.version = version_for(exchange);
  return options;
}

/// Returns true for a request that the app has not got because it does not listen, as after a
/// crash, and that no one else can serve: an activator would try another replica.
bool RequestHandler::may_wait_for_app(const proxy::Exchange& exchange, const Error& error) const {
  return error.may_retry() && exchange.caller() != proxy::Peer::kInside &&
         readiness_.state() != ReadinessState::kDraining;
}

TimePoint RequestHandler::wait_deadline(const proxy::Exchange& exchange) const {
  const TimePoint oldest = refused_.expiry(exchange.arrived());
  const Duration total = exchange.time_limit(options_.limits.total);
  return total > Duration::zero() ? std::min(oldest, exchange.arrived() + total) : oldest;
}

void RequestHandler::end_refusal() {
  while (refused_.grant_first() != nullptr) {
  }
}

/// Waits until the app listens again. Returns false if the request has ended or waited for
/// queue-age.
http::Task<bool> RequestHandler::wait_for_app(proxy::Exchange& exchange) {
  const http::Reactor& reactor = exchange.reactor();
  const TimePoint deadline = wait_deadline(exchange);
  const bool is_probed = !readiness_.is_ready();
  RefusedRequest entry(exchange.waiter());
  if (refused_.enqueue(entry, exchange.held_bytes(), exchange.arrived())) co_return false;
  exchange.waiter().set_deadline(is_probed ? deadline
                                           : std::min(deadline, reactor.now() + kTryAgain));
  while (!exchange.has_hung_up() && !exchange.is_stopping()) {
    co_await exchange.waiter().wait();
    if (!entry.is_waiting()) break;
    if (exchange.waiter().is_overdue()) co_return !is_probed && reactor.now() < deadline;
  }
  exchange.waiter().clear_deadline();
  co_return !entry.is_waiting() && readiness_.is_ready() && !exchange.has_hung_up();
}

http::Task<void> RequestHandler::forward_to_app(proxy::Exchange& exchange) {
  PendingResponse pending(*this, exchange);
  proxy::ForwardOptions options = options_for(exchange);
  options.hook = &pending;
  const TimePoint began = exchange.reactor().now();
  const std::uint64_t hangs = hangs_;
  auto forwarded = co_await exchange.forward(pool_, app_, options);
  while (!forwarded && forwarded.error().kind() == ErrorKind::kRefused) {
    on_app_refused_();
    if (!may_wait_for_app(exchange, forwarded.error())) break;
    if (!co_await wait_for_app(exchange)) break;
    options.version = version_for(exchange);
    forwarded = co_await exchange.forward(pool_, app_, options);
  }
  count_served(exchange, began);
  if (forwarded) {
    ++answers_;
    co_return;
  }
  if (!forwarded.error().may_retry()) co_return;  // settled by forward()
  if (exchange.has_hung_up()) co_return;
  // Over a reused connection the request was sent a second time, to the app that was killed, so its
  // error does not name the hang.
  const bool was_in_hang = hangs_ != hangs;
  const Error why = was_in_hang ? Error(ErrorKind::kReset, name_, last_hang_, ErrorSide::kUpstream)
                                : forwarded.error();
  proxy::LocalReply reply = proxy::local_reply_for(why);
  if (exchange.caller() == proxy::Peer::kInside && !was_in_hang) {
    proxy::append_hop_headers(
        {.may_retry_elsewhere = true, .runs = exchange.outcome().retries.runs()},
        reply.extra_lines);
  }
  co_await exchange.send_local_reply(std::move(reply));
}

}  // namespace bellows::queue_proxy
