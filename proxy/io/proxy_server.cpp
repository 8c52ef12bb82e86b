#include "proxy/io/proxy_server.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <vector>

#include "proxy/io/descriptors.hpp"
#include "proxy/io/session.hpp"

namespace bellows::proxy {

namespace {

/// For a head that has begun to come, an answer that is being read, when nothing is in flight.
constexpr Duration kFarewell = std::chrono::milliseconds(500);

/// Ends a wait at an instant of the reactor's clock.
class Patience final : public http::Deadline {
 public:
  Patience(http::Reactor& reactor, http::Timer& wait)
      : http::Deadline(reactor.watchdog()), wait_(wait) {}

 private:
  void on_deadline() override { wait_.cancel(); }

  http::Timer& wait_;
};

}  // namespace

ServerState::ServerState(http::Reactor& the_reactor, RequestHandler& the_handler,
                         ProxyServerOptions the_options)
    : reactor(the_reactor), handler(the_handler), options(the_options) {
  options.max_connections = max_connections(options.max_connections);
}

ServerState::~ServerState() = default;

std::string_view ServerState::date_line() {
  return date.at(reactor.now(), reactor.clock());
}

class ProxyServer::Impl final : public ServerState {
 public:
  Impl(http::Reactor& the_reactor, RequestHandler& the_handler, ProxyServerOptions the_options)
      : ServerState(the_reactor, the_handler, the_options),
        changed_(the_reactor.io(), http::Timer::time_point::max()) {}
  ~Impl() { *alive_ = false; }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<Endpoint> listen(const Endpoint& endpoint) {
    BELLOWS_TRY(auto listener, http::Listener::listen(
                                   reactor, endpoint,
                                   [this](http::UniqueFd socket, const http::SocketAddress& peer) {
                                     accept(std::move(socket), peer);
                                   }));
    listeners_.push_back(std::move(listener));
    return listeners_.back()->endpoint();
  }

  void start_draining() {
    is_draining = true;
    wake_all();
  }

  http::Awaitable<void> stop(TimePoint deadline) {
    for (const auto& listener : listeners_) listener->take_waiting();
    accept_failures_ = accept_failures();
    listeners_.clear();
    is_closing = true;
    idle_since_ = reactor.now();
    start_draining();
    co_await wait_until_empty(deadline);
    is_cutting = true;
    wake_all();
    // Everybody leaves at the next turn; tasks that wait for a task outside have a second for it.
    co_await wait_until_empty(reactor.now() + std::chrono::seconds(1));
    open.clear();
    ended.clear();
  }

  void session_ended(Session& session) override {
    ended.splice(ended.end(), open, session.place);
    pause_or_resume();
    changed_.cancel();
    if (ended.size() > 1) return;  // a reaper is on its way
    http::net::post(reactor.io(), [this, alive = alive_] {
      if (*alive) ended.clear();
    });
  }

  std::uint64_t accept_failures() const {
    std::uint64_t failures = accept_failures_;
    for (const auto& listener : listeners_) failures += listener->failures();
    return failures;
  }

  void exchange_ended() override {
    if (!is_draining) return;
    idle_since_ = reactor.now();
    changed_.cancel();
  }

 private:
  void accept(http::UniqueFd socket, const http::SocketAddress& peer) {
    open.push_back(std::make_unique<Session>(*this, std::move(socket), peer));
    Session& session = *open.back();
    session.place = std::prev(open.end());
    pause_or_resume();
    session.start();
  }

  void pause_or_resume() {
    const bool is_full = open.size() >= options.max_connections;
    if (is_full == is_paused_) return;
    is_paused_ = is_full;
    for (const auto& listener : listeners_) listener->set_paused(is_full);
  }

  void wake_all() {
    for (const auto& session : open) session->wake();
  }

  http::Awaitable<void> wait_until_empty(TimePoint deadline) {
    Patience patience(reactor, changed_);
    boost::system::error_code ignored;
    while (!open.empty()) {
      const TimePoint now = reactor.now();
      const TimePoint until =
          counters.in_flight > 0 ? deadline : std::min(deadline, idle_since_ + kFarewell);
      if (now >= until) co_return;
      patience.set_deadline(until);
      co_await changed_.async_wait(
          http::net::redirect_error(http::net::use_awaitable_t<http::Executor>(), ignored));
    }
  }

  http::Timer changed_;     // cancelled when a session ends, and never runs out
  TimePoint idle_since_{};  // while it stops, if nothing is in flight
  std::vector<std::unique_ptr<http::Listener>> listeners_;
  std::uint64_t accept_failures_ = 0;  // of listeners that are closed
  bool is_paused_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // shared with posted handlers
};

ProxyServer::ProxyServer(http::Reactor& reactor, RequestHandler& handler,
                         ProxyServerOptions options)
    : impl_(std::make_unique<Impl>(reactor, handler, options)) {}

ProxyServer::~ProxyServer() = default;

void ProxyServer::set_observer(ExchangeObserver observer) {
  impl_->observer = std::move(observer);
}

Result<Endpoint> ProxyServer::listen(const Endpoint& endpoint) {
  return impl_->listen(endpoint);
}

void ProxyServer::start_draining() {
  impl_->start_draining();
}

bool ProxyServer::is_draining() const {
  return impl_->is_draining;
}

bool ProxyServer::is_idle() const {
  return impl_->counters.in_flight == 0;
}

http::Awaitable<void> ProxyServer::stop(TimePoint deadline) {
  return impl_->stop(deadline);
}

const ProxyCounters& ProxyServer::counters() const {
  return impl_->counters;
}

std::uint64_t ProxyServer::accept_failures() const {
  return impl_->accept_failures();
}

}  // namespace bellows::proxy
