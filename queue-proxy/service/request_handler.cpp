#include "queue-proxy/service/request_handler.hpp"

#include <utility>

#include "proxy/core/error_response.hpp"

namespace bellows::queue_proxy {

namespace {

proxy::BreakerLimits limits_of(const config::QueueProxySettings& settings) {
  const proxy::SlotCount slots = settings.container_concurrency > 0
                                     ? proxy::SlotCount(settings.container_concurrency)
                                     : std::nullopt;
  return {.slots = slots,
          .line = {.count = settings.waiting_limit(),
                   .bytes = settings.queue_bytes,
                   .age = settings.queue_age}};
}

/// Counts a request as load from its arrival to its end, however it ends.
class Counted {
 public:
  Counted(proxy::Exchange& exchange, metrics::ConcurrencyMeter& meter, Instruments& instruments)
      : exchange_(exchange), meter_(meter), instruments_(instruments) {
    meter_.enter(exchange_.arrived());
  }
  ~Counted() {
    const TimePoint now = exchange_.reactor().now();
    meter_.leave(now);
    const proxy::Outcome& outcome = exchange_.outcome();
    instruments_.request_ended(outcome.status, now - exchange_.arrived());
    if (outcome.queued > Duration::zero()) instruments_.request_waited(outcome.queued);
    if (outcome.upstream_tries > 1) instruments_.upstream_retries.add();
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  proxy::Exchange& exchange_;
  metrics::ConcurrencyMeter& meter_;
  Instruments& instruments_;
};

/// Tells the activator that the app never saw the request, so that another replica may have it.
constexpr std::string_view kRetryElsewhere = "x-bellows-retry: elsewhere\r\n";

}  // namespace

RequestHandler::RequestHandler(const config::QueueProxySettings& settings,
                               proxy::UpstreamPool& pool, const Readiness& readiness,
                               metrics::ConcurrencyMeter& meter, Instruments& instruments,
                               std::function<void()> on_app_refused)
    : name_("replica " + settings.pod.text()),
      app_{.host = settings.user_host, .port = settings.user_port, .unix_path = {}},
      pool_(pool),
      readiness_(readiness),
      meter_(meter),
      instruments_(instruments),
      on_app_refused_(std::move(on_app_refused)),
      gate_(name_, limits_of(settings)) {
  options_.limits = {.total = settings.request_timeout,
                     .response_start = settings.response_start_timeout,
                     .idle = settings.idle_timeout};
  options_.downstream = settings.behind_activator ? proxy::Peer::kInside : proxy::Peer::kOutside;
  options_.upstream = proxy::Peer::kOutside;
  options_.upstream_name = name_;
}

http::Flow<void> RequestHandler::handle(proxy::Exchange& exchange) {
  if (const ProbeRequest probe = probe_request(exchange.head()); probe != ProbeRequest::kNone) {
    return exchange.answer(probe_answer(probe));
  }
  return serve(exchange);
}

http::Flow<void> RequestHandler::serve(proxy::Exchange& exchange) {
  const Counted counted(exchange, meter_, instruments_);
  proxy::Slot slot = gate_.try_enter(exchange.arrived());
  if (!slot) {
    auto entered = co_await gate_.enter(exchange);
    if (!entered) {
      co_await exchange.answer(gate_.answer_for_refused(entered.error(), exchange.reactor().now()));
      co_return;
    }
    slot = std::move(*entered);
  }
  co_await pass_to_app(exchange);
}

http::Flow<void> RequestHandler::pass_to_app(proxy::Exchange& exchange) {
  const auto passed = co_await exchange.forward(pool_, app_, options_);
  if (passed) co_return;
  if (passed.error().kind() == ErrorKind::kRefused) on_app_refused_();
  if (!passed.error().may_retry()) co_return;  // settled by forward()
  proxy::Answer answer = proxy::answer_for(passed.error());
  if (options_.downstream == proxy::Peer::kInside) answer.extra_lines += kRetryElsewhere;
  co_await exchange.answer(std::move(answer));
}

proxy::Answer RequestHandler::probe_answer(ProbeRequest probe) const {
  if (probe == ProbeRequest::kUnknown) {
    return proxy::answer_for(Error(ErrorKind::kMalformed, "K-Network-Probe",
                                   "not a probe for here; want \"queue\"", ErrorSide::kDownstream));
  }
  if (!readiness_.is_ready()) {
    return proxy::answer_for(Error(ErrorKind::kUnavailable, name_, readiness_.reason()));
  }
  proxy::Answer answer;
  answer.body = "queue";
  return answer;
}

}  // namespace bellows::queue_proxy
