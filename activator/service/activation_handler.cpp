#include "activator/service/activation_handler.hpp"

#include <string_view>
#include <utility>

#include "activator/core/meanwhile.hpp"
#include "activator/core/probe_request.hpp"

namespace bellows::activator {
namespace {

/// Maximum wait of a request for the cluster's first list, and the interval of checks.
constexpr Duration kListTime = std::chrono::seconds(5);
constexpr Duration kLookAgain = std::chrono::milliseconds(20);

Error stopping() {
  return Error(ErrorKind::kCancelled, "activator", "stopped while the request waited");
}

/// Makes the error of a request that stops waiting while its caller is still connected.
Error end_of_wait(const proxy::Exchange& exchange) {
  if (exchange.is_stopping()) return stopping();
  return Error(ErrorKind::kTimeout, "activator",
               "no replica took the call before its deadline (grpc-timeout)", ErrorSide::kUpstream);
}

/// Returns nullptr if the port is for all revisions.
const RevisionPort* port_of(const proxy::Exchange& exchange) {
  // All ports with a context are opened by RevisionPorts.
  return static_cast<const RevisionPort*>(exchange.port_context());
}

}  // namespace

ActivationHandler::ActivationHandler(RevisionRouter& router, proxy::UpstreamPool& pool,
                                     SettledRequests* settled, ColdStartObserver on_cold_start,
                                     bool keeps_notes)
    : router_(router),
      pool_(pool),
      settled_(settled),
      on_cold_start_(std::move(on_cold_start)),
      keeps_notes_(keeps_notes) {}

http::Task<void> ActivationHandler::handle(proxy::Exchange& exchange) {
  const http::RequestHead& head = exchange.head();
  const RevisionPort* port = port_of(exchange);
  const std::string_view probe_lines = port != nullptr ? port->probe_lines : std::string_view();
  if (std::optional<proxy::LocalReply> reply = reply_to_probe(head, is_serving_, probe_lines)) {
    return send_probe_reply(exchange, std::move(*reply));
  }
  return router_.has_list() ? route(exchange) : wait_for_list(exchange);
}

/// Waits for the cluster's list. A program that has just started gets requests before the list,
/// which arrives within milliseconds. Without the wait callers would be refused needlessly (12 of
/// 19,000 in a soak with restarts got 404, 18 got 503).
http::Task<void> ActivationHandler::wait_for_list(proxy::Exchange& exchange) {
  const TimePoint deadline = exchange.arrived() + kListTime;
  while (!router_.has_list() && exchange.reactor().now() < deadline) {
    if (exchange.has_hung_up() || exchange.is_stopping()) break;
    exchange.waiter().set_deadline(exchange.reactor().now() + kLookAgain);
    co_await exchange.waiter().wait();
  }
  exchange.waiter().clear_deadline();
  if (exchange.has_hung_up()) co_return;
  co_await route(exchange);
}

/// Routes a request. A request may be held during this coroutine, so rarely needed parts have their
/// own frames.
http::Task<void> ActivationHandler::route(proxy::Exchange& exchange) {
  std::optional<PendingRequest> request;
  co_await begin(request, exchange);
}

/// Finds the revision of the request and asks for a replica, in one hold of the lock. Returns the
/// task that follows.
http::Task<void> ActivationHandler::begin(std::optional<PendingRequest>& request,
                                          proxy::Exchange& exchange) {
  const http::RequestHead& head = exchange.head();
  WorkerLock::Hold hold(router_.lock());
  const Result<RevisionHandle*> found = find(head, port_of(exchange));
  if (!found) {
    hold.release();
    ++unrouted_;
    return exchange.send_local_reply(found.error());
  }
  RevisionHandle& handle = **found;
  if (handle.rules().probes.matches(head)) {
    const RevisionThrottler& throttler = handle.throttler();
    proxy::LocalReply reply = reply_to_app_probe(throttler.rejection_reason(), throttler.ready());
    hold.release();
    return send_probe_reply(exchange, std::move(reply));
  }
  if (!handle.rules().static_answers.empty()) {
    if (const auto* answer = find_answer(handle.rules().static_answers, head)) {
      proxy::LocalReply reply = static_reply(*answer);
      hold.release();
      return send_probe_reply(exchange, std::move(reply));
    }
  }
  last_arrival_ = exchange.arrived();
  const bool has_meanwhile = handle.rules().has_meanwhile;
  enqueue(request, handle, exchange, hold);
  return has_meanwhile ? serve_or_meanwhile(request, exchange) : serve(*request, exchange);
}

void ActivationHandler::enqueue(std::optional<PendingRequest>& request, RevisionHandle& handle,
                                proxy::Exchange& exchange, WorkerLock::Hold& hold) {
  request.emplace(handle, exchange, settled_, on_cold_start_);
  request->enqueue(hold);
  if (keeps_notes_) request->keep_notes();
}

Result<RevisionHandle*> ActivationHandler::find(const http::RequestHead& head,
                                                const RevisionPort* port) {
  if (port == nullptr) return router_.find(head);
  if (port->handle != nullptr) return port->handle;
  return router_.find(port->revision);
}

http::Task<void> ActivationHandler::send_probe_reply(proxy::Exchange& exchange,
                                                     proxy::LocalReply reply) const {
  if (keeps_notes_) exchange.make_notes().is_probe = true;
  return exchange.send_local_reply(std::move(reply));
}

/// Returns nullptr if there is none, or it is the service itself.
RevisionHandle* ActivationHandler::fallback_of(const RevisionHandle& handle) {
  const std::string& name = handle.throttler().settings().callers.fallback_service;
  if (name.empty()) return nullptr;
  const std::string& own = handle.revision().text();
  const std::size_t slash = own.find('/');  // on Kubernetes, the end of the namespace
  const std::string ns = slash == std::string::npos ? "" : own.substr(0, slash + 1);
  RevisionHandle* const fallback = router_.find_service(RevisionId(ns + name));
  return fallback == &handle ? nullptr : fallback;
}

/// Serves a request while no replica is ready, and when none can be: a browser gets the page,
/// others go to the fallback service. The request has been queued before, so the service is woken.
http::Task<void> ActivationHandler::serve_or_meanwhile(std::optional<PendingRequest>& request,
                                                       proxy::Exchange& exchange) {
  RevisionHandle& handle = request->handle();
  const bool is_waking = request->state() == HoldState::kQueued && handle.ready() == 0;
  if (is_waking) {
    co_await request->wait_for_first_replica(exchange.arrived() + handle.fallback_after());
  }
  const bool is_still_waking = request->state() == HoldState::kQueued && handle.ready() == 0 &&
                               !exchange.has_hung_up() && !exchange.is_stopping();
  const bool is_failing = request->state() == HoldState::kRejected &&
                          request->rejection().kind() == ErrorKind::kUnavailable;
  if (is_still_waking || is_failing) {
    std::string page;
    if (takes_a_page(exchange.head())) page = handle.waiting_page(is_failing);
    if (!page.empty()) {
      request->leave_queue();
      proxy::LocalReply reply = waiting_page_reply(std::move(page));
      co_await exchange.send_local_reply(std::move(reply));
      co_return;
    }
    fall_back(request, exchange);
  }
  co_await serve(*request, exchange);
}

/// Moves the request to the fallback service, if its service has one.
void ActivationHandler::fall_back(std::optional<PendingRequest>& request,
                                  proxy::Exchange& exchange) {
  WorkerLock::Hold found(router_.lock());
  RevisionHandle* const fallback = fallback_of(request->handle());
  if (fallback == nullptr) return;
  fallback->pin();
  found.release();
  request->hand_over();
  request.reset();
  WorkerLock::Hold hold(router_.lock());
  enqueue(request, *fallback, exchange, hold);
  fallback->unpin();
}

/// Rejects a request that waits no longer and has no replica.
http::Task<void> ActivationHandler::refuse(PendingRequest& request, proxy::Exchange& exchange) {
  if (request.state() == HoldState::kRejected) {
    exchange.note_failure(request.rejection().kind());
    co_await exchange.send_local_reply(request.rejection_reply());
  } else if (!exchange.has_hung_up()) {
    co_await exchange.send_local_reply(end_of_wait(exchange));
  }
}

/// Serves a request. It may be held during this coroutine, so rarely needed parts have their own
/// frames.
http::Task<void> ActivationHandler::serve(PendingRequest& request, proxy::Exchange& exchange) {
  for (;;) {
    if (request.state() == HoldState::kQueued) co_await request.wait();
    if (request.state() != HoldState::kGranted) co_return co_await refuse(request, exchange);
    const bool is_over = co_await forward_granted(request, exchange);
    if (is_over) co_return;
    co_await request.wait_before_last_run();
    request.requeue();
  }
}

/// Returns false if another replica may take the request.
http::Task<bool> ActivationHandler::forward_granted(PendingRequest& request,
                                                    proxy::Exchange& exchange) {
  const Result<void> forwarded = co_await request.forward(pool_);
  if (forwarded || !forwarded.error().may_retry()) co_return true;
  if (!exchange.is_stopping() && request.may_try_again(forwarded.error())) co_return false;
  co_await exchange.send_local_reply(forwarded.error());
  co_return true;
}

}  // namespace bellows::activator
