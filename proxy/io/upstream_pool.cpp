#include "proxy/io/upstream_pool.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>

#include "http/io/resolve.hpp"
#include "proxy/io/descriptors.hpp"
#include "proxy/io/exchange.hpp"
#include "proxy/io/wait_for_task.hpp"

namespace bellows::proxy {

namespace {

Error connect_error(const Endpoint& endpoint, int error) {
  return system_error(to_string(endpoint), "connect", error).on(ErrorSide::kUpstream).retryable();
}

/// Makes an error that is not retryable, because no time is left for another try.
Error overdue_error(const Endpoint& endpoint) {
  return Error(ErrorKind::kTimeout, to_string(endpoint),
               "the request's time limit ended before a connection was made", ErrorSide::kUpstream);
}

Error cancelled_error(const Exchange& exchange) {
  if (exchange.is_stopping()) {
    return Error(ErrorKind::kCancelled, "server", "stopped while an upstream was connected");
  }
  return Error(ErrorKind::kCancelled, "downstream", "disconnected while an upstream was connected",
               ErrorSide::kDownstream);
}

// With more endpoints, those without idle connections are removed from the table.
constexpr std::size_t kManyEndpoints = 64;

// Interval at which a full backlog is checked again, if nothing else happens.
constexpr Duration kLookAgain = std::chrono::milliseconds(10);

bool is_usable(http::Connection& connection, IdleCheck check) {
  // is_readable() may still be set after a read that filled its buffer: only then a check is
  // needed.
  const bool needs_look = check != IdleCheck::kNone || connection.is_readable();
  return !connection.peer_has_closed() && (!needs_look || connection.is_idle());
}

}  // namespace

std::size_t UpstreamPool::EndpointHash::operator()(const Endpoint& endpoint) const noexcept {
  return std::hash<std::string_view>()(endpoint.is_unix() ? endpoint.unix_path : endpoint.host) ^
         endpoint.port;
}

UpstreamPool::UpstreamPool(http::Reactor& reactor, UpstreamOptions options)
    : reactor_(reactor),
      options_(options),
      http2_(reactor, options.idle_timeout),
      waiter_(reactor),
      sweeper_(sweep_loop()) {
  sweeper_.start();
}

UpstreamPool::~UpstreamPool() = default;

UpstreamVersion UpstreamPool::version_for(const Endpoint& endpoint, UpstreamVersion version) const {
  return version == UpstreamVersion::kHttp2 && !http2_.is_spoken_by(endpoint)
             ? UpstreamVersion::kHttp1
             : version;
}

UpstreamPool::ConnectionPtr UpstreamPool::acquire(const Endpoint& endpoint, UpstreamVersion version,
                                                  IdleCheck check) {
  if (version == UpstreamVersion::kHttp2) {
    return ConnectionPtr(http2_.open_stream(endpoint).release(), Close{nullptr});
  }
  const auto found = upstreams_.find(endpoint);
  return found == upstreams_.end() ? nullptr : acquire_idle(found->second, check);
}

UpstreamPool::ConnectionPtr UpstreamPool::acquire_idle(Upstream& upstream, IdleCheck check) {
  std::vector<IdleConnection>& idle = upstream.idle;
  while (!idle.empty()) {
    if (check == IdleCheck::kYoung && !is_young(idle.back(), upstream.keep_alive)) {
      // A fresh connection replaces it; otherwise such requests would fill the pool. One idle
      // connection stays, so that its end is seen.
      if (idle.size() > 1) idle.pop_back();
      return nullptr;
    }
    IdleConnection latest = std::move(idle.back());
    idle.pop_back();
    if (is_usable(*latest.connection, check)) return std::move(latest.connection);
    const TimePoint now = reactor_.now();
    upstream.keep_alive.note_end(now - latest.since, now);
  }
  return nullptr;
}

bool UpstreamPool::is_young(const IdleConnection& idle, const KeepAliveTime& keep_alive) const {
  const TimePoint now = reactor_.now();
  return now - idle.answered <= keep_alive.safe(now);
}

http::Task<Result<UpstreamPool::ConnectionPtr>> UpstreamPool::connect(Endpoint endpoint,
                                                                      Exchange& exchange,
                                                                      TimePoint deadline,
                                                                      UpstreamVersion version) {
  const TimePoint until = std::min(deadline, reactor_.now() + options_.connect_timeout);
  std::vector<http::SocketAddress> addresses = http::literal_addresses(endpoint);
  if (addresses.empty()) {
    auto found = co_await wait_for_task(exchange, http::resolve(endpoint, until - reactor_.now()));
    if (!found) co_return fail(std::move(found).error());
    addresses = std::move(*found);
  }
  std::optional<Error> first_error;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const TimePoint attempt_end =
        http::attempt_deadline(reactor_.now(), until, addresses.size() - i);
    const ConnectTime time{.attempt_ends = attempt_end, .request_ends = deadline};
    auto connection = co_await connect_one(endpoint, addresses[i], exchange, time);
    if (connection && version == UpstreamVersion::kHttp2) {
      co_return first_stream(endpoint, std::move(*connection));
    }
    if (connection || connection.error().kind() == ErrorKind::kCancelled) co_return connection;
    if (!first_error) first_error = std::move(connection).error();
  }
  if (reactor_.now() >= deadline) co_return fail(overdue_error(endpoint));
  co_return fail(*std::move(first_error));
}

/// Returns the first stream. Each request that arrived together with others has connected: those
/// that find room on the first connection close theirs.
UpstreamPool::ConnectionPtr UpstreamPool::first_stream(const Endpoint& endpoint,
                                                       ConnectionPtr connection) {
  if (ConnectionPtr stream = acquire(endpoint, UpstreamVersion::kHttp2, IdleCheck::kNone)) {
    return stream;
  }
  connection->set_waiter(nullptr);
  http2_.add(endpoint, std::unique_ptr<http::Connection>(connection.release()), &open_);
  sweep_in(http2_.surplus_time());
  return acquire(endpoint, UpstreamVersion::kHttp2, IdleCheck::kNone);
}

/// Starts to connect; the caller waits for the result.
Result<UpstreamPool::SocketPtr> UpstreamPool::start_connect(const Endpoint& endpoint,
                                                            const http::SocketAddress& address) {
  make_room();
  auto socket = http::open_socket(address, to_string(endpoint));
  // This program has no descriptor left; the upstream is not at fault.
  if (!socket) {
    return fail(Error(ErrorKind::kOverloaded, "proxy", to_string(socket.error())).retryable());
  }
  const int done = reactor_.sockets().connect(socket->get(), address.get(), address.size);
  if (done != 0 && errno != EINPROGRESS) return fail(connect_error(endpoint, errno));
  SocketPtr connection(new http::SocketConnection(reactor_, std::move(*socket)), Close{&open_});
  ++open_;
  if (!connection->is_open()) return fail(connect_error(endpoint, ENOSPC));
  if (done != 0) connection->expect_connect();
  return connection;
}

/// Closes the oldest idle connection, because one that a request waits for is more useful.
void UpstreamPool::make_room() {
  const std::size_t all = limit_by_descriptors(options_.max_connections, 0);
  const std::size_t max = std::max<std::size_t>(1, all / options_.loops);
  while (open_ >= max) {
    std::vector<IdleConnection>* with_oldest = nullptr;
    for (auto& [endpoint, upstream] : upstreams_) {
      const bool is_older =
          !upstream.idle.empty() &&
          (!with_oldest || upstream.idle.front().since < with_oldest->front().since);
      if (is_older) with_oldest = &upstream.idle;
    }
    if (with_oldest == nullptr) {
      http2_.close_oldest_idle();
      return;
    }
    with_oldest->erase(with_oldest->begin());
  }
}

http::Task<Result<UpstreamPool::ConnectionPtr>> UpstreamPool::connect_one(
    const Endpoint& endpoint, const http::SocketAddress& address, Exchange& exchange,
    ConnectTime time) {
  http::Waiter& waiter = exchange.waiter();
  TimePoint until = time.attempt_ends;
  ConnectQueue& queue = upstreams_[endpoint].connects;
  if (!queue.is_empty() || !has_room(queue, address)) {
    const TimePoint began = reactor_.now();
    auto waited = co_await wait_for_room(queue, endpoint, address, exchange, time);
    if (!waited) co_return fail(std::move(waited).error());
    until = std::min(time.request_ends, until + (reactor_.now() - began));
  }
  const ConnectQueue::Connecting connecting(queue);
  BELLOWS_CO_TRY(SocketPtr connection, start_connect(endpoint, address));
  connection->set_waiter(&waiter);
  waiter.set_deadline(until);
  while (!connection->connect_ended()) {
    co_await waiter.wait();
    if (exchange.has_hung_up() || exchange.is_stopping()) co_return fail(cancelled_error(exchange));
    if (waiter.is_overdue()) co_return fail(connect_error(endpoint, ETIMEDOUT));
  }
  waiter.clear_deadline();
  if (const int error = connection->connect_error(); error != 0) {
    co_return fail(connect_error(endpoint, error));
  }
  co_return connection;
}

bool UpstreamPool::has_room(const ConnectQueue& queue, const http::SocketAddress& address) const {
  return !http::is_loopback(address) ||
         queue.has_room(reactor_.sockets().backlog_room(address.get()));
}

/// Waits for room in the backlog. No event reports that the program accepts a connection, but a
/// response shows that it did.
http::Task<Result<void>> UpstreamPool::wait_for_room(ConnectQueue& queue, const Endpoint& endpoint,
                                                     const http::SocketAddress& address,
                                                     Exchange& exchange, ConnectTime time) {
  http::Waiter& waiter = exchange.waiter();
  const ConnectQueue::Place place(queue, waiter, waiting_);
  while (!place.is_first() || !has_room(queue, address)) {
    if (exchange.has_hung_up() || exchange.is_stopping()) co_return fail(cancelled_error(exchange));
    const TimePoint now = reactor_.now();
    const TimePoint stuck = queue.last_response() + options_.connect_timeout;
    const TimePoint until = std::min(time.request_ends, std::max(time.attempt_ends, stuck));
    if (now >= until) co_return fail(connect_error(endpoint, ETIMEDOUT));
    waiter.set_deadline(place.is_first() ? std::min(until, now + kLookAgain) : until);
    co_await waiter.wait();
  }
  waiter.clear_deadline();
  co_return Result<void>();
}

void UpstreamPool::note_response(const Endpoint& endpoint) {
  if (waiting_ == 0) return;
  const auto found = upstreams_.find(endpoint);
  if (found != upstreams_.end()) found->second.connects.note_response(reactor_.now());
}

void UpstreamPool::release(const Endpoint& endpoint, ConnectionPtr connection,
                           const LastResponse& last) {
  Upstream& upstream = upstreams_[endpoint];
  if (last.keep_alive) upstream.keep_alive.note_promise(*last.keep_alive);
  if (upstream.idle.size() >= options_.max_idle_per_endpoint) return;
  connection->set_waiter(&waiter_);
  const TimePoint now = reactor_.now();
  sweep_in(options_.idle_timeout);
  upstream.idle.push_back({std::move(connection), now, last.began});
}

void UpstreamPool::sweep_in(Duration longest) {
  if (!waiter_.has_deadline()) waiter_.set_deadline(reactor_.now() + longest);
}

void UpstreamPool::clear() {
  for (auto& [endpoint, upstream] : upstreams_) upstream.idle.clear();
  http2_.drain();
}

std::size_t UpstreamPool::idle() const {
  std::size_t sum = http2_.idle();
  for (const auto& [endpoint, upstream] : upstreams_) sum += upstream.idle.size();
  return sum;
}

http::Task<void> UpstreamPool::sweep_loop() {
  for (;;) {
    co_await waiter_.wait();
    waiter_.set_deadline(sweep(reactor_.now()));
  }
}

TimePoint UpstreamPool::sweep(TimePoint now) {
  TimePoint next = http2_.sweep(now);
  for (auto& [endpoint, upstream] : upstreams_) {
    std::vector<IdleConnection>& idle = upstream.idle;
    std::erase_if(idle, [&, &keep_alive = upstream.keep_alive](const IdleConnection& one) {
      const bool has_ended =
          one.connection->peer_has_closed() || one.since + options_.idle_timeout <= now;
      if (has_ended) keep_alive.note_end(now - one.since, now);
      return has_ended;
    });
    if (!idle.empty()) next = std::min(next, idle.front().since + options_.idle_timeout);
  }
  // A few endpoints without connections stay, because most have some again soon.
  if (upstreams_.size() > kManyEndpoints) {
    std::erase_if(upstreams_, [](const auto& entry) {
      return entry.second.idle.empty() && !entry.second.connects.is_in_use();
    });
  }
  return next;
}

}  // namespace bellows::proxy
