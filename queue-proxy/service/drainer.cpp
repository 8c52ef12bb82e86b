#include "queue-proxy/service/drainer.hpp"

#include <string>
#include <utility>

namespace bellows::queue_proxy {

namespace {

/// Interval at which a draining replica checks for remaining requests.
constexpr Duration kPollInterval = std::chrono::milliseconds(5);
/// Interval at which it checks whether the stop that a hook announced has followed.
constexpr Duration kDoubtInterval = std::chrono::milliseconds(100);

}  // namespace

Drainer::Drainer(http::net::io_context& io, const sys::Clock& clock, DrainTimes times,
                 DrainerCallbacks callbacks)
    : clock_(clock), callbacks_(std::move(callbacks)), drain_(times), tasks_(io) {}

void Drainer::begin(DrainCause cause) {
  const bool is_new = !drain_.is_draining();
  drain_.start(cause, clock_.now());
  if (is_new) callbacks_.on_begin(cause);
  if (cause == DrainCause::kSignal || is_watching_) return;
  is_watching_ = true;
  tasks_.spawn("watch a drain by a hook", [this] { return watch_doubt(); });
}

http::Awaitable<void> Drainer::wait(DrainScope scope) {
  while (look(scope) == DrainState::kDraining) co_await http::sleep_for(kPollInterval);
}

http::Awaitable<void> Drainer::stop(TimePoint deadline) {
  tasks_.stop();
  co_await tasks_.join(deadline);
}

void Drainer::add_pages(http::ServiceServer& server) {
  // Older kubelets (observed: 1.20) put another slash before the path of a hook, and take any
  // response for success: after a 404 they would stop the app with requests in flight.
  for (const std::string slash : {"", "/"}) {
    server.route("GET", slash + "/drain", page(DrainCause::kAppHook));
    server.route("GET", slash + "/drain/pod", page(DrainCause::kPodHook));
  }
}

http::Handler Drainer::page(DrainCause cause) {
  return [this, cause](http::Request) -> http::Awaitable<http::Response> {
    begin(cause);
    co_await wait(cause == DrainCause::kAppHook ? DrainScope::kRequests : DrainScope::kAll);
    http::Response response;
    response.body = "drained\n";
    if (open_requests_ > 0) response.body = "drain-timeout is over; requests are left\n";
    co_return response;
  };
}

DrainState Drainer::look(DrainScope scope) {
  const DrainLoad load = callbacks_.load();
  open_requests_ = load.open_requests - (scope == DrainScope::kRequests ? load.tunnels : 0);
  if (load.last_arrival) drain_.note_arrival(*load.last_arrival);
  return drain_.state(open_requests_, clock_.now());
}

/// Runs until the drain is undone. After a signal it runs until stop() or the end of the process.
http::Awaitable<void> Drainer::watch_doubt() {
  for (;;) {
    look(DrainScope::kAll);
    if (drain_.is_refuted(open_requests_, clock_.now())) break;
    co_await http::sleep_for(kDoubtInterval);
  }
  is_watching_ = false;
  drain_.undo();
  callbacks_.on_undo();
}

}  // namespace bellows::queue_proxy
