#include "http/io/service_server.hpp"

#include <deque>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "base/sys/clock.hpp"
#include "base/sys/log.hpp"
#include "http/io/listener.hpp"
#include "http/io/own_names.hpp"
#include "http/io/service_session.hpp"

namespace bellows::http {

namespace {

/// Adds the names of this machine, because clients address a program by them too.
ServiceServerOptions with_own_names(ServiceServerOptions options) {
  if (options.access) {
    for (std::string& name : names_of_this_machine()) {
      options.access->hosts.push_back(std::move(name));
    }
  }
  return options;
}

/// Accepts connections and bounds their number. Exists while the server listens.
class Connections {
 public:
  explicit Connections(ServiceState& state)
      : state_(state), reactor_(state.io), changed_(reactor_), all_ended_(state.io) {
    admissions_ = admit_loop();
    admissions_.start();
  }

  Result<Endpoint> listen(BoundSocket bound);

  /// Stops accepting; sessions that wait for a request end.
  void stop_accepting();
  /// Returns true when no connection is left, false at `deadline`.
  Awaitable<bool> wait_until_ended(TimePoint deadline);
  /// Returns "127.0.0.1:51234, unix".
  std::string peers() const;

 private:
  struct Arrival {
    sys::Descriptor socket;
    SocketAddress peer;
  };

  Task<void> admit_loop();
  void admit();
  bool make_room();

  ServiceState& state_;
  Reactor reactor_;
  Waiter changed_;  // woken by sessions
  AsioTimer all_ended_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::deque<Arrival> arrivals_;        // accepted, waiting for room
  std::list<ServiceSession> sessions_;  // a list, because their tasks refer to them
  bool is_full_ = false;                // the listeners are paused
  Task<void> admissions_;
};

Result<Endpoint> Connections::listen(BoundSocket bound) {
  const auto on_accept = [this](sys::Descriptor socket, const SocketAddress& peer) {
    arrivals_.push_back({std::move(socket), peer});
    admit();
  };
  BELLOWS_TRY(std::unique_ptr<Listener> listener,
              Listener::listen(reactor_, std::move(bound), on_accept));
  listener->keep_spare(state_.options.spare_descriptors);
  return listeners_.emplace_back(std::move(listener))->endpoint();
}

void Connections::stop_accepting() {
  listeners_.clear();
  arrivals_.clear();
  sessions_.remove_if([](const ServiceSession& session) { return session.is_idle(); });
}

Awaitable<bool> Connections::wait_until_ended(TimePoint deadline) {
  all_ended_.expires_at(to_steady(deadline));
  boost::system::error_code cancelled;  // cancelled by admit(), when a session has ended
  while (!sessions_.empty()) {
    co_await all_ended_.async_wait(awaiting(cancelled));
    if (!cancelled) break;
  }
  co_return sessions_.empty();
}

std::string Connections::peers() const {
  std::string peers;
  for (const ServiceSession& session : sessions_) {
    if (!peers.empty()) peers += ", ";
    peers += session.peer();
  }
  return peers;
}

Task<void> Connections::admit_loop() {
  for (;;) {
    co_await changed_.wait();
    admit();
  }
}

/// Starts sessions for arrivals as far as there is room. A session's own task never calls it.
void Connections::admit() {
  sessions_.remove_if([](const ServiceSession& session) { return session.is_done(); });
  for (const auto& listener : listeners_) listener->restore_spare();
  if (sessions_.empty()) all_ended_.cancel();
  while (!arrivals_.empty() && make_room()) {
    Arrival& first = arrivals_.front();
    ServiceSession& session =
        sessions_.emplace_back(state_, reactor_, changed_, std::move(first.socket), first.peer);
    arrivals_.pop_front();
    session.start();
  }
  const bool was_full = std::exchange(is_full_, !arrivals_.empty());
  if (was_full == is_full_) return;
  for (const auto& listener : listeners_) listener->set_paused(is_full_);
}

/// Ends the session that has waited for its client the longest, and returns true. Returns false if
/// all wait for handlers or WebSockets.
bool Connections::make_room() {
  const std::size_t limit = state_.options.max_connections;
  if (sessions_.size() < limit) return true;
  auto longest = sessions_.end();
  for (auto session = sessions_.begin(); session != sessions_.end(); ++session) {
    if (!session->waits_for_client()) continue;
    if (longest == sessions_.end() || session->since() < longest->since()) longest = session;
  }
  if (longest == sessions_.end()) return false;
  sys::log::debug("a connection is closed to make room for another", {{"peer", longest->peer()}});
  sessions_.erase(longest);
  return sessions_.size() < limit;
}

}  // namespace

class ServiceServer::Impl {
 public:
  Impl(net::io_context& io, const ServiceServerOptions& options) : state_(io, options) {}
  ~Impl() { abort(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Routes& routes() { return state_.handlers->routes; }

  Result<Endpoint> listen(const Endpoint& endpoint) {
    const auto mode = static_cast<mode_t>(state_.options.unix_socket_mode);
    BELLOWS_TRY(BoundSocket socket, bind_and_listen(endpoint, mode));
    return listen(std::move(socket));
  }

  Result<Endpoint> listen(BoundSocket socket) {
    if (!connections_) connections_.emplace(state_);
    return connections_->listen(std::move(socket));
  }

  Awaitable<void> stop(TimePoint deadline);

 private:
  void close_websockets();
  void abort();

  ServiceState state_;
  std::optional<Connections> connections_;
};

void ServiceServer::Impl::close_websockets() {
  for (const auto& open : state_.handlers->websockets) {
    const std::shared_ptr<WebSocket> websocket = open.lock();
    if (!websocket) continue;
    state_.tasks.spawn("close WebSocket of " + websocket->peer(), [websocket]() -> Awaitable<void> {
      co_await websocket->close(kServerIsStopping);
    });
  }
}

void ServiceServer::Impl::abort() {
  state_.handlers->is_stopping = true;
  state_.handlers->is_aborted = true;
  connections_.reset();  // first, so that no session writes what a cancelled handler returns
  state_.tasks.stop();
}

Awaitable<void> ServiceServer::Impl::stop(TimePoint deadline) {
  constexpr Duration kGracePeriod = std::chrono::seconds(1);
  state_.handlers->is_stopping = true;
  close_websockets();
  std::string left;
  if (connections_) {
    connections_->stop_accepting();
    const bool has_ended = co_await connections_->wait_until_ended(deadline);
    if (!has_ended) left = "connections of " + connections_->peers() + ": not ended in time";
  }
  const Result<void> joined = co_await state_.tasks.join(deadline);
  if (!joined) left = to_string(joined.error());
  if (!left.empty()) sys::log::warning("connections are aborted", {{"because", left}});
  abort();
  const Result<void> ended = co_await state_.tasks.join(sys::system_clock().now() + kGracePeriod);
  if (!ended) sys::log::error("a handler does not end", {{"error", to_string(ended.error())}});
}

ServiceServer::ServiceServer(net::io_context& io, ServiceServerOptions options)
    : impl_(std::make_unique<Impl>(io, with_own_names(std::move(options)))) {}

ServiceServer::~ServiceServer() = default;

void ServiceServer::route(std::string method, std::string path, Handler handler) {
  impl_->routes().add(std::move(method), std::move(path), std::move(handler));
}

void ServiceServer::websocket(std::string path, WebSocketHandler handler) {
  impl_->routes().add_websocket(std::move(path), std::move(handler));
}

void ServiceServer::events(std::string path, EventSource source) {
  impl_->routes().add_events(std::move(path), std::move(source));
}

Result<Endpoint> ServiceServer::listen(const Endpoint& endpoint) {
  return impl_->listen(endpoint);
}

Result<Endpoint> ServiceServer::listen(BoundSocket socket) {
  return impl_->listen(std::move(socket));
}

Awaitable<void> ServiceServer::stop(TimePoint deadline) {
  return impl_->stop(deadline);
}

}  // namespace bellows::http
