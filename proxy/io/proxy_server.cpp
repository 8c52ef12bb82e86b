#include "proxy/io/proxy_server.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "proxy/io/descriptors.hpp"
#include "proxy/io/session.hpp"

namespace bellows::proxy {

namespace {

/// For a head that is arriving, or a response that is being read, once nothing is in flight.
constexpr Duration kGracePeriod = std::chrono::milliseconds(500);
/// For tasks that wait for a task outside of their session.
constexpr Duration kAbortTime = std::chrono::seconds(1);

/// Ends a wait at an instant of the reactor's clock.
class WaitDeadline final : public http::Timer {
 public:
  WaitDeadline(http::Reactor& reactor, http::AsioTimer& wait)
      : http::Timer(reactor.timers()), wait_(wait) {}

 private:
  void on_expiry() override { wait_.cancel(); }

  http::AsioTimer& wait_;
};

}  // namespace

ServerState::ServerState(http::Reactor& the_reactor, RequestHandler& the_handler,
                         ProxyServerOptions the_options, SessionListener& the_listener)
    : reactor(the_reactor), handler(the_handler), listener(the_listener), options(the_options) {
  options.max_connections = limit_by_descriptors(options.max_connections);
}

ServerState::~ServerState() = default;

std::string_view ServerState::date_line() {
  return date.at(reactor.now(), reactor.clock());
}

ProxyServer::ProxyServer(http::Reactor& reactor, RequestHandler& handler,
                         ProxyServerOptions options)
    : state_(reactor, handler, options, *this),
      changed_(reactor.io(), http::AsioTimer::time_point::max()) {}

ProxyServer::~ProxyServer() = default;

Result<Endpoint> ProxyServer::listen(const Endpoint& endpoint, Peer callers) {
  const auto on_accept = [this, callers](sys::Descriptor socket, const http::SocketAddress& peer) {
    accept(std::move(socket), peer, callers);
  };
  BELLOWS_TRY(auto listener, http::Listener::listen(state_.reactor, endpoint, on_accept));
  listeners_.push_back(std::move(listener));
  return listeners_.back()->endpoint();
}

std::optional<TimePoint> ProxyServer::last_silent_connection(TimePoint since) const {
  // The latest come last, so the search stays within those that came since.
  for (auto session = state_.open.rbegin(); session != state_.open.rend(); ++session) {
    if ((*session)->accepted() < since) break;
    if ((*session)->is_silent()) return (*session)->accepted();
  }
  return std::nullopt;
}

void ProxyServer::start_draining() {
  state_.is_draining = true;
  wake_all();
}

http::Awaitable<void> ProxyServer::stop(TimePoint deadline) {
  for (const auto& listener : listeners_) listener->accept_pending();
  accept_failures_ = accept_failures();
  listeners_.clear();
  state_.is_closing = true;
  idle_since_ = state_.reactor.now();
  start_draining();
  co_await wait_until_empty(deadline);
  state_.is_cutting = true;
  wake_all();
  co_await wait_until_empty(state_.reactor.now() + kAbortTime);
  state_.open.clear();
  state_.ended.clear();
}

void ProxyServer::session_ended(Session& session) {
  state_.ended.splice(state_.ended.end(), state_.open, session.place);
  pause_or_resume();
  changed_.cancel();
  if (state_.ended.size() > 1) return;  // the handler is posted already
  http::net::post(state_.reactor.io(), lifetime_.bind([this] { state_.ended.clear(); }));
}

void ProxyServer::exchange_ended() {
  if (!state_.is_draining) return;
  idle_since_ = state_.reactor.now();
  changed_.cancel();
}

std::uint64_t ProxyServer::accept_failures() const {
  std::uint64_t failures = accept_failures_;
  for (const auto& listener : listeners_) failures += listener->failures();
  return failures;
}

void ProxyServer::accept(sys::Descriptor socket, const http::SocketAddress& peer, Peer caller) {
  ServerState::Sessions& open = state_.open;
  open.push_back(std::make_unique<Session>(state_, std::move(socket), peer, caller));
  Session& session = *open.back();
  session.place = std::prev(open.end());
  pause_or_resume();
  session.start();
}

void ProxyServer::pause_or_resume() {
  const bool is_full = state_.open.size() >= state_.options.max_connections;
  if (is_full == is_paused_) return;
  is_paused_ = is_full;
  for (const auto& listener : listeners_) listener->set_paused(is_full);
}

void ProxyServer::wake_all() {
  for (const auto& session : state_.open) session->wake();
}

http::Awaitable<void> ProxyServer::wait_until_empty(TimePoint deadline) {
  WaitDeadline wait_deadline(state_.reactor, changed_);
  boost::system::error_code ignored;
  while (!state_.open.empty()) {
    const TimePoint now = state_.reactor.now();
    const TimePoint until = is_idle() ? std::min(deadline, idle_since_ + kGracePeriod) : deadline;
    if (now >= until) co_return;
    wait_deadline.set_deadline(until);
    co_await changed_.async_wait(
        http::net::redirect_error(http::net::use_awaitable_t<http::Executor>(), ignored));
  }
}

}  // namespace bellows::proxy
