#include "queue-proxy/service/request_handler.hpp"

#include <charconv>
#include <string>
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

std::optional<proxy::AccessNotes> notes_of(const config::QueueProxySettings& settings) {
  if (!settings.access_log.enabled) return std::nullopt;
  return proxy::AccessNotes{
      .service = settings.revision.text(),
      .replica = settings.pod.text(),
      .upstream = to_string(
          Endpoint{.host = settings.user_host, .port = settings.user_port, .unix_path = {}}),
      .is_probe = false};
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

void append_number(std::string_view name, std::int64_t number, std::string& lines) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number);
  lines += name;
  lines.append(digits, end.ptr);
  lines += "\r\n";
}

bool asks_for_queue_time(const http::RequestHead& head) {
  return head.fields.has(http::FieldId::kInternal) && head.fields.find("x-bellows-queue-ms");
}

/// What an activator is told with every answer; it ends there.
void tell_activator(std::int64_t in_flight, Duration queued, std::string& lines) {
  append_number("X-Bellows-In-Flight: ", in_flight, lines);
  if (queued > Duration::zero()) {
    append_number("X-Bellows-Queue-Ms: ", to_milliseconds(queued), lines);
  }
}

/// Tells the activator that another replica may have the request: the app never saw it, or it is
/// idempotent and the app closed before it answered. The reason says which.
constexpr std::string_view kRetryElsewhere = "X-Bellows-Retry: elsewhere\r\n";

/// Tells the activator that the request's time ended in the line here: no word against the app.
constexpr std::string_view kOverdueInLine = "X-Bellows-Queue: timeout\r\n";

}  // namespace

/// A request in the app: counts until its answer begins, and adds to that what the caller is to
/// know about its way.
class RequestHandler::Told final : public proxy::ResponseHook {
 public:
  Told(RequestHandler& handler, const proxy::Exchange& exchange)
      : handler_(handler), exchange_(exchange) {
    ++handler_.unanswered_;
  }
  ~Told() override { answered(); }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;

  void on_response_head(const http::ResponseHead&, std::string& extra_lines) override {
    answered();
    handler_.tell(exchange_, extra_lines);
  }

 private:
  void answered() {
    if (std::exchange(is_awaited_, false)) --handler_.unanswered_;
  }

  RequestHandler& handler_;
  const proxy::Exchange& exchange_;
  bool is_awaited_ = true;
};

RequestHandler::RequestHandler(const config::QueueProxySettings& settings,
                               proxy::UpstreamPool& pool, const Readiness& readiness,
                               metrics::ConcurrencyMeter& meter, Instruments& instruments,
                               std::function<void()> on_app_refused)
    : name_(settings.pod.empty() ? "replica" : "replica " + settings.pod.text()),
      app_{.host = settings.user_host, .port = settings.user_port, .unix_path = {}},
      pool_(pool),
      readiness_(readiness),
      meter_(meter),
      instruments_(instruments),
      on_app_refused_(std::move(on_app_refused)),
      probes_(settings.probe_user_agents, settings.probe_paths),
      queue_time_header_(settings.queue_time_header),
      notes_(notes_of(settings)),
      gate_(name_, limits_of(settings), settings.request_timeout) {
  options_.limits = {.total = settings.request_timeout,
                     .response_start = settings.response_start_timeout,
                     .idle = settings.idle_timeout};
  options_.downstream = settings.behind_activator ? proxy::Peer::kInside : proxy::Peer::kOutside;
  options_.upstream = proxy::Peer::kOutside;
  options_.upstream_name = name_;
}

http::Task<void> RequestHandler::handle(proxy::Exchange& exchange) {
  const ProbeRequest probe = probe_request(exchange.head(), probes_);
  if (notes_) exchange.make_notes() = *notes_;
  if (probe != ProbeRequest::kNone) {
    if (notes_) exchange.make_notes().is_probe = true;
    return exchange.answer(probe_answer(probe, exchange.head(), readiness_, name_));
  }
  return serve(exchange);
}

http::Task<void> RequestHandler::serve(proxy::Exchange& exchange) {
  const Counted counted(exchange, meter_, instruments_);
  proxy::Slot slot = gate_.try_enter(exchange.arrived());
  if (!slot) {
    auto entered = co_await gate_.enter(exchange);
    if (!entered) {
      if (exchange.hung_up()) co_return;
      proxy::Answer answer = gate_.answer_for_refused(entered.error(), exchange.reactor().now());
      tell(exchange, answer.extra_lines);
      const bool is_overdue = entered.error().kind() == ErrorKind::kTimeout;
      if (is_overdue && options_.downstream == proxy::Peer::kInside) {
        answer.extra_lines += kOverdueInLine;
      }
      exchange.note_failure(entered.error().kind());
      co_await exchange.answer(std::move(answer));
      co_return;
    }
    slot = std::move(*entered);
  }
  co_await pass_to_app(exchange);
}

void RequestHandler::tell(const proxy::Exchange& exchange, std::string& lines) const {
  const Duration queued = exchange.outcome().queued;
  if (options_.downstream == proxy::Peer::kInside) {
    tell_activator(running() + waiting(), queued, lines);
    return;
  }
  const bool tells =
      queue_time_header_ == config::QueueTimeHeader::kAlways ||
      (queue_time_header_ == config::QueueTimeHeader::kWaited && queued > Duration::zero()) ||
      asks_for_queue_time(exchange.head());
  if (tells) append_number("X-Bellows-Queue-Ms: ", to_milliseconds(queued), lines);
}

http::Task<void> RequestHandler::pass_to_app(proxy::Exchange& exchange) {
  Told told(*this, exchange);
  proxy::ForwardOptions options = options_;
  options.hook = &told;
  const auto passed = co_await exchange.forward(pool_, app_, options);
  if (passed) co_return;
  if (passed.error().kind() == ErrorKind::kRefused) on_app_refused_();
  if (!passed.error().may_retry()) co_return;  // settled by forward()
  proxy::Answer answer = proxy::answer_for(passed.error());
  if (options_.downstream == proxy::Peer::kInside) answer.extra_lines += kRetryElsewhere;
  co_await exchange.answer(std::move(answer));
}

}  // namespace bellows::queue_proxy
