#include "activator/service/activation_handler.hpp"

#include <utility>

#include "activator/core/probe_request.hpp"

namespace bellows::activator {
namespace {

Error stopping() {
  return Error(ErrorKind::kCancelled, "activator", "stopped while the request waited");
}

}  // namespace

ActivationHandler::ActivationHandler(const RevisionRouter& router, proxy::UpstreamPool& pool,
                                     metrics::prometheus::Registry& registry,
                                     ColdStartObserver on_cold_start, bool keeps_notes)
    : router_(router),
      pool_(pool),
      on_cold_start_(std::move(on_cold_start)),
      unrouted_(registry.counter("bellows_activator_unrouted_total",
                                 "Requests that no service takes, or a retired one took")),
      keeps_notes_(keeps_notes) {}

http::Task<void> ActivationHandler::handle(proxy::Exchange& exchange) {
  const http::RequestHead& head = exchange.head();
  if (std::optional<proxy::Answer> answer = answer_to_probe(head, is_serving_)) {
    return answer_probe(exchange, std::move(*answer));
  }
  const Result<RevisionLine*> line = router_.find(head.host, head.path);
  if (!line) {
    unrouted_.add();
    return exchange.answer(line.error());
  }
  if ((*line)->probes().matches(head)) {
    const RevisionThrottler& throttler = (*line)->throttler();
    return answer_probe(exchange, answer_for_app(throttler.reason_to_refuse(), throttler.ready()));
  }
  return pass_on(**line, exchange);
}

http::Task<void> ActivationHandler::answer_probe(proxy::Exchange& exchange,
                                                 proxy::Answer answer) const {
  if (keeps_notes_) exchange.make_notes().is_probe = true;
  return exchange.answer(std::move(answer));
}

http::Task<void> ActivationHandler::pass_on(RevisionLine& line, proxy::Exchange& exchange) {
  Passage passage(line, exchange, on_cold_start_);
  if (keeps_notes_) passage.keep_notes();
  passage.enter();
  for (int tries = 1;; ++tries) {
    if (passage.state() == HoldState::kWaiting) co_await passage.wait();
    if (passage.state() == HoldState::kOutside) {
      if (exchange.hung_up()) co_return;
      co_await exchange.answer(stopping());
      co_return;
    }
    if (passage.state() == HoldState::kRefused) {
      exchange.note_failure(passage.refusal().kind());
      co_await exchange.answer(passage.refusal_answer());
      co_return;
    }
    const Result<void> passed = co_await passage.forward(pool_);
    if (passed || !passed.error().may_retry()) co_return;
    if (tries == kTries || exchange.is_stopping()) {
      co_await exchange.answer(passed.error());
      co_return;
    }
    passage.enter_again();
  }
}

}  // namespace bellows::activator
