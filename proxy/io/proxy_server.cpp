#include "proxy/io/proxy_server.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "base/sys/descriptor_reserve.hpp"
#include "base/sys/entropy.hpp"
#include "base/sys/log.hpp"
#include "http/io/socket_connection.hpp"
#include "proxy/io/descriptors.hpp"
#include "proxy/io/session.hpp"

namespace bellows::proxy {

namespace {

/// Time for a head that is arriving, or a response that is being read, once no request is in
/// flight. Unwritten HTTP/2 frames have the whole time of stop(); they are checked at the same
/// interval.
constexpr Duration kGracePeriod = std::chrono::milliseconds(500);
/// Time for tasks that wait for a task outside of their session.
constexpr Duration kAbortTime = std::chrono::seconds(1);

/// Minimum time without a request before a connection may be replaced. With less, it counts as in
/// use, because its client would lose the request that it is about to send. A new client sends its
/// first request soon.
constexpr Duration kMinSilent = std::chrono::milliseconds(250);
constexpr Duration kMinIdle = std::chrono::seconds(1);
constexpr Duration kRecheckInterval = std::chrono::milliseconds(100);
constexpr Duration kWarningInterval = std::chrono::minutes(1);

/// Returns the session that has waited the longest, at least since `latest`, and whose next request
/// is not arriving; nullptr if there is none among the first few.
Session* longest_waiting(const WaitingList& list, TimePoint latest) {
  constexpr int kLooks = 8;
  WaitingEntry* entry = list.first();
  for (int looks = 0; entry != nullptr && looks < kLooks; ++looks) {
    auto& session = static_cast<Session&>(*entry);
    if (session.waits_since() > latest) return nullptr;
    if (!session.has_news()) return &session;
    entry = list.after(*entry);
  }
  return nullptr;
}

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

namespace {

http2::Limits http2_limits_of(const ProxyServerOptions& options, const http::HeadLimits& head) {
  http2::Limits limits;
  limits.header_bytes = head.total;
  limits.header_fields = head.fields;
  limits.head_time = options.header_timeout;
  limits.idle_time = options.keep_alive_timeout;
  return limits;
}

/// Returns the limits of a connection from an activator, which carries many callers. The activator
/// limits each caller, and one caller over its limits must not end the requests of the others here.
http2::Limits http2_inner_limits_of(const ProxyServerOptions& options) {
  http2::Limits limits = http2_limits_of(options, http::kMaxHeadLimits);
  limits.peer_resets = {.burst = 1'000'000, .per_second = 1'000'000};
  return limits;
}

}  // namespace

ProxyCounters& ProxyCounters::operator+=(const ProxyCounters& other) {
  connections += other.connections;
  replaced_connections += other.replaced_connections;
  refused_connections += other.refused_connections;
  requests += other.requests;
  for (std::size_t i = 0; i < std::size(by_class); ++i) by_class[i] += other.by_class[i];
  local_replies += other.local_replies;
  for (const auto& [status, count] : other.rejected_heads) rejected_heads[status] += count;
  for (std::size_t i = 0; i < aborted.size(); ++i) aborted[i] += other.aborted[i];
  stopped += other.stopped;
  retries += other.retries;
  upgrades += other.upgrades;
  open_connections += other.open_connections;
  in_flight += other.in_flight;
  open_tunnels += other.open_tunnels;
  return *this;
}

ServerState::ServerState(http::Reactor& the_reactor, RequestHandler& the_handler,
                         ProxyServerOptions the_options, SessionListener& the_listener)
    : reactor(the_reactor),
      handler(the_handler),
      listener(the_listener),
      options(std::move(the_options)),
      ages(sys::random_seed()),
      replies(sys::random_seed()),
      http2_limits(http2_limits_of(options, options.head)),
      http2_inner_limits(http2_inner_limits_of(options)),
      clients(options.max_client_connections) {
  const std::size_t all = limit_by_descriptors(options.max_connections, 0);
  options.max_connections = std::max<std::size_t>(1, all / options.loops);
  if (options.trace) tracer.emplace(*options.trace, sys::random_seed());
}

ServerState::~ServerState() = default;

TimePoint ServerState::end_of_age(Peer callers) {
  if (options.max_connection_age <= Duration::zero() || callers == Peer::kInside) {
    return TimePoint::max();
  }
  const double factor = 0.9 + 0.2 * ages.fraction();
  return reactor.now() + Duration(static_cast<Duration::rep>(
                             factor * static_cast<double>(options.max_connection_age.count())));
}

std::string_view ServerState::date_line() {
  return date.at(reactor.now(), reactor.clock());
}

ProxyServer::ProxyServer(http::Reactor& reactor, RequestHandler& handler,
                         ProxyServerOptions options)
    : max_connections_(options.max_connections),
      state_(reactor, handler, std::move(options), *this),
      changed_(reactor.io(), http::AsioTimer::time_point::max()) {}

ProxyServer::Recheck::Recheck(ProxyServer& server)
    : http::Timer(server.state_.reactor.timers()), server_(server) {}

ProxyServer::~ProxyServer() = default;

Result<Endpoint> ProxyServer::listen(const Endpoint& endpoint, Peer callers,
                                     http::MakeConnection make) {
  BELLOWS_TRY(const PortPtr port,
              add_port(http::bind_and_listen(endpoint, http::Listener::kTrafficMode),
                       std::make_shared<Port>(callers, nullptr, std::move(make))));
  return port->endpoint();
}

Result<PortPtr> ProxyServer::open_port(const Endpoint& endpoint,
                                       std::shared_ptr<const PortContext> context, Peer callers) {
  return add_port(http::bind_and_listen(endpoint, http::Listener::kTrafficMode),
                  std::make_shared<Port>(callers, std::move(context)));
}

Result<Endpoint> ProxyServer::listen(http::BoundSocket socket, Peer callers,
                                     http::MakeConnection make) {
  BELLOWS_TRY(
      const PortPtr port,
      add_port(std::move(socket), std::make_shared<Port>(callers, nullptr, std::move(make))));
  return port->endpoint();
}

Result<PortPtr> ProxyServer::add_port(Result<http::BoundSocket> opened,
                                      std::shared_ptr<Port> port) {
  BELLOWS_TRY(http::BoundSocket bound, std::move(opened));
  const auto on_accept = [this, port](sys::Descriptor socket, const http::SocketAddress& peer) {
    accept(std::move(socket), peer, port);
  };
  BELLOWS_TRY(auto listener, http::Listener::listen(state_.reactor, std::move(bound), on_accept));
  port->endpoint_ = listener->endpoint();
  listener->set_paused(is_paused_);
  listeners_.push_back({std::move(listener), port});
  limit_connections();
  return port;
}

void ProxyServer::set_port_state(const PortPtr& port, PortState state) {
  if (port->state_ == state || port->state_ == PortState::kClosed) return;
  if (state == PortState::kClosed) close_listener(*port);
  port->state_ = state;
  if (others_ != nullptr) others_->port_changed(port, state);
  if (state != PortState::kClosed) return;
  std::size_t left = port->connections_;
  for (auto session = state_.open.begin(); left > 0 && session != state_.open.end(); ++session) {
    if (&(*session)->port() != port.get()) continue;
    (*session)->wake();
    --left;
  }
}

void ProxyServer::close_listener(const Port& port) {
  const auto place = std::ranges::find_if(
      listeners_, [&](const Listening& each) { return each.port.get() == &port; });
  if (place == listeners_.end()) return;  // the server has stopped
  place->listener->accept_pending();
  accept_failures_ += place->listener->failures();
  listeners_.erase(place);
  limit_connections();
}

/// Adapts the limit of connections to the descriptors, of which each listening port takes one.
void ProxyServer::limit_connections() {
  reserved_ = sys::expected_descriptors();
  const std::size_t all = limit_by_descriptors(max_connections_, listeners_.size());
  state_.options.max_connections = std::max<std::size_t>(1, all / state_.options.loops);
  pause_or_resume();
}

std::optional<TimePoint> ProxyServer::last_silent_connection(TimePoint since) const {
  // The latest connections are last, so the search covers only those made since then.
  for (auto session = state_.open.rbegin(); session != state_.open.rend(); ++session) {
    if ((*session)->accepted() < since) break;
    if ((*session)->is_silent()) return (*session)->accepted();
  }
  return std::nullopt;
}

void ProxyServer::start_draining(IdleConnections idle) {
  state_.is_draining = true;
  state_.closes_idle = state_.closes_idle || idle == IdleConnections::kClose;
  for (const Listening& each : listeners_) each.listener->leave_to_others();
  wake_all();
}

http::Awaitable<void> ProxyServer::stop(TimePoint deadline, std::function<void()> on_tunnels_left) {
  on_tunnels_left_ = std::move(on_tunnels_left);
  for (const Listening& each : listeners_) each.listener->accept_pending();
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
  session.leave();
  if (session.was_replaced()) --state_.replaced;
  if (accepting_ != nullptr) {
    accepting_->connection_ended(session.client());
  } else if (!session.client().empty()) {
    state_.clients.remove(session.client());
  }
  pause_or_resume();
  changed_.cancel();
  if (state_.ended.size() > 1) return;  // the handler is already posted
  http::net::post(state_.reactor.io(), lifetime_.bind([this] { state_.ended.clear(); }));
}

void ProxyServer::exchange_ended() {
  if (!state_.is_draining) return;
  idle_since_ = state_.reactor.now();
  changed_.cancel();
}

void ProxyServer::tunnel_opened() {
  if (state_.is_draining) changed_.cancel();
}

/// Calls on_tunnels_left_ unless a request may be in transit, over a connection without one or an
/// HTTP/2 connection whose drain is incomplete: the app would end during that request. It waits for
/// at most kGracePeriod.
void ProxyServer::notice_tunnels(TimePoint now) {
  if (!on_tunnels_left_ || !has_only_tunnels()) return;
  const bool may_have_more = !state_.silent.empty() || !state_.idle.empty() || has_unsent();
  if (may_have_more && now < idle_since_ + kGracePeriod) return;
  std::exchange(on_tunnels_left_, nullptr)();
}

std::uint64_t ProxyServer::accept_failures() const {
  std::uint64_t failures = accept_failures_;
  for (const Listening& each : listeners_) failures += each.listener->failures();
  return failures;
}

void ProxyServer::accept(sys::Descriptor socket, const http::SocketAddress& peer,
                         const PortPtr& port) {
  std::string client = client_of(peer, *port);
  if (!client.empty() && !state_.clients.add(client)) {
    ++state_.counters.refused_connections;
    return;
  }
  if (others_ != nullptr) {
    NewConnection made{std::move(socket), peer, port, std::move(client)};
    if (others_->take(made, state_.open.size(), !is_full_)) return;
    socket = std::move(made.socket);
    client = std::move(made.client);
  }
  auto connection = connect(std::move(socket), peer, *port);
  if (!connection) {
    if (!client.empty()) state_.clients.remove(client);
    return;
  }
  open_session(std::move(connection), peer, port, std::move(client));
}

void ProxyServer::adopt(std::unique_ptr<http::Connection> connection,
                        const http::SocketAddress& peer, const PortPtr& port, std::string client) {
  open_session(std::move(connection), peer, port, std::move(client));
}

void ProxyServer::open_session(std::unique_ptr<http::Connection> connection,
                               const http::SocketAddress& peer, const PortPtr& port,
                               std::string client) {
  make_room();
  ServerState::Sessions& open = state_.open;
  open.push_back(
      std::make_unique<Session>(state_, std::move(connection), peer, port, std::move(client)));
  Session& session = *open.back();
  session.place = std::prev(open.end());
  reserved_ == sys::expected_descriptors() ? pause_or_resume() : limit_connections();
  session.start();
}

std::unique_ptr<http::Connection> ProxyServer::connect(sys::Descriptor socket,
                                                       const http::SocketAddress& peer,
                                                       const Port& port) {
  if (port.make_connection_) return port.make_connection_(std::move(socket), peer);
  return std::make_unique<http::SocketConnection>(state_.reactor, std::move(socket));
}

/// Returns the key of the client; empty: its connections are not counted. A Unix socket has one
/// client, the web server in front.
std::string ProxyServer::client_of(const http::SocketAddress& peer, const Port& port) const {
  const bool is_counted =
      state_.clients.is_limited() && !peer.is_unix() && port.callers() == Peer::kOutside;
  return is_counted ? http::client_text(peer) : std::string();
}

bool ProxyServer::has_reached_limit() const {
  return state_.open.size() - state_.replaced >= state_.options.max_connections;
}

/// Returns the connection that has been without a request the longest; nullptr if each has one, or
/// had one just before.
Session* ProxyServer::replaceable() {
  const TimePoint now = state_.reactor.now();
  Session* const silent = longest_waiting(state_.silent, now - kMinSilent);
  Session* const idle = longest_waiting(state_.idle, now - kMinIdle);
  if (silent == nullptr || idle == nullptr) return silent == nullptr ? idle : silent;
  return idle->waits_since() < silent->waits_since() ? idle : silent;
}

void ProxyServer::make_room() {
  if (!has_reached_limit()) return;
  Session* const longest = replaceable();
  if (longest == nullptr) return;
  longest->replace();
  ++state_.counters.replaced_connections;
  const TimePoint now = state_.reactor.now();
  if (now < next_warning_) return;
  next_warning_ = now + kWarningInterval;
  sys::log::warning("idle connections are closed for new ones",
                    {{"max_connections", state_.options.max_connections}});
}

void ProxyServer::pause_or_resume() {
  const bool is_full = has_reached_limit() && replaceable() == nullptr;
  if (is_full) recheck_.set_deadline(state_.reactor.now() + kRecheckInterval);
  state_.is_wanted = is_full && std::ranges::any_of(listeners_, [](const Listening& each) {
                       return each.listener->has_pending();
                     });
  const bool is_news = std::exchange(is_full_, is_full) != is_full;
  if (is_news && accepting_ != nullptr) accepting_->room_changed(!is_full);
  const bool is_paused = is_full && (others_ == nullptr || !others_->have_room());
  if (is_paused == is_paused_) return;
  is_paused_ = is_paused;
  for (const Listening& each : listeners_) each.listener->set_paused(is_paused);
}

bool ProxyServer::has_unsent() const {
  return std::ranges::any_of(state_.open,
                             [](const auto& session) { return session->has_unsent(); });
}

void ProxyServer::wake_all() {
  for (const auto& session : state_.open) session->wake();
}

http::Awaitable<void> ProxyServer::wait_until_empty(TimePoint deadline) {
  WaitDeadline wait_deadline(state_.reactor, changed_);
  boost::system::error_code ignored;
  while (!state_.open.empty()) {
    const TimePoint now = state_.reactor.now();
    notice_tunnels(now);
    if (is_idle() && now >= idle_since_ + kGracePeriod && has_unsent()) idle_since_ = now;
    const TimePoint grace_end = idle_since_ + kGracePeriod;
    const TimePoint until = is_idle() ? std::min(deadline, grace_end) : deadline;
    if (now >= until) co_return;
    const bool looks_at_tunnels = on_tunnels_left_ && now < grace_end;
    wait_deadline.set_deadline(looks_at_tunnels ? std::min(until, grace_end) : until);
    co_await changed_.async_wait(
        http::net::redirect_error(http::net::use_awaitable_t<http::Executor>(), ignored));
  }
}

}  // namespace bellows::proxy
