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

/// Not retryable: there is no time left for it, and little was left for this try.
Error overdue_error(const Endpoint& endpoint) {
  return Error(ErrorKind::kTimeout, to_string(endpoint),
               "the request's time limit ended before it was sent, for want of a connection",
               ErrorSide::kUpstream);
}

Error gone_error(const Exchange& exchange) {
  if (exchange.is_stopping()) {
    return Error(ErrorKind::kCancelled, "server", "stopped while an upstream was connected");
  }
  return Error(ErrorKind::kCancelled, "downstream", "hung up while an upstream was connected",
               ErrorSide::kDownstream);
}

// Beyond that many, endpoints without kept connections are dropped from the table.
constexpr std::size_t kManyEndpoints = 64;

bool is_usable(http::Connection& connection) {
  // Readable may be left over from a read that filled its buffer: only then is a look needed.
  return !connection.peer_left() && (!connection.is_readable() || connection.is_silent());
}

}  // namespace

std::size_t UpstreamPool::EndpointHash::operator()(const Endpoint& endpoint) const noexcept {
  return std::hash<std::string_view>()(endpoint.is_unix() ? endpoint.unix_path : endpoint.host) ^
         endpoint.port;
}

UpstreamPool::UpstreamPool(http::Reactor& reactor, UpstreamOptions options)
    : reactor_(reactor), options_(options), waiter_(reactor), sweeper_(sweep_loop()) {
  options_.max_connections = max_connections(options_.max_connections);
  sweeper_.start();
}

UpstreamPool::~UpstreamPool() = default;

UpstreamPool::ConnectionPtr UpstreamPool::take(const Endpoint& endpoint) {
  const auto found = bundles_.find(endpoint);
  if (found == bundles_.end()) return nullptr;
  Bundle& bundle = found->second;
  while (!bundle.empty()) {
    ConnectionPtr connection = std::move(bundle.back().connection);
    bundle.pop_back();
    if (is_usable(*connection)) return connection;
  }
  return nullptr;
}

http::Task<Result<UpstreamPool::ConnectionPtr>> UpstreamPool::connect(Endpoint endpoint,
                                                                      Exchange& exchange,
                                                                      TimePoint deadline) {
  const TimePoint until = std::min(deadline, reactor_.now() + options_.connect_timeout);
  std::vector<http::SocketAddress> addresses = http::literal_addresses(endpoint);
  if (addresses.empty()) {
    auto found = co_await wait_for_task(exchange, http::resolve(endpoint, until - reactor_.now()));
    if (!found) co_return fail(std::move(found).error());
    addresses = std::move(*found);
  }
  std::optional<Error> first_error;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const TimePoint patience = http::attempt_deadline(reactor_.now(), until, addresses.size() - i);
    auto connection = co_await connect_one(endpoint, addresses[i], exchange, patience);
    if (connection || connection.error().kind() == ErrorKind::kCancelled) co_return connection;
    if (!first_error) first_error = std::move(connection).error();
  }
  if (reactor_.now() >= deadline) co_return fail(overdue_error(endpoint));
  co_return fail(*std::move(first_error));
}

/// Starts to connect; the result still has to be waited for.
Result<UpstreamPool::ConnectionPtr> UpstreamPool::start_connect(
    const Endpoint& endpoint, const http::SocketAddress& address) {
  make_room();
  auto socket = http::open_socket(address, to_string(endpoint));
  if (!socket) return fail(std::move(socket).error().on(ErrorSide::kUpstream).retryable());
  const int done = reactor_.sockets().connect(socket->get(), address.get(), address.size);
  if (done != 0 && errno != EINPROGRESS) return fail(connect_error(endpoint, errno));
  ConnectionPtr connection(new http::Connection(reactor_, std::move(*socket)), Close{&open_});
  ++open_;
  if (!connection->is_open()) return fail(connect_error(endpoint, ENOSPC));
  if (done != 0) connection->expect_connect();
  return connection;
}

/// A kept connection may be of use; one that somebody waits for is.
void UpstreamPool::make_room() {
  while (open_ >= options_.max_connections) {
    Bundle* with_oldest = nullptr;
    for (auto& [endpoint, bundle] : bundles_) {
      const bool is_older =
          !bundle.empty() && (!with_oldest || bundle.front().since < with_oldest->front().since);
      if (is_older) with_oldest = &bundle;
    }
    if (with_oldest == nullptr) return;
    with_oldest->erase(with_oldest->begin());
  }
}

http::Task<Result<UpstreamPool::ConnectionPtr>> UpstreamPool::connect_one(
    const Endpoint& endpoint, const http::SocketAddress& address, Exchange& exchange,
    TimePoint until) {
  http::Waiter& waiter = exchange.waiter();
  BELLOWS_CO_TRY(ConnectionPtr connection, start_connect(endpoint, address));
  connection->set_waiter(&waiter);
  waiter.set_deadline(until);
  while (!connection->connect_ended()) {
    co_await waiter.wait();
    if (exchange.hung_up() || exchange.is_stopping()) co_return fail(gone_error(exchange));
    if (waiter.is_overdue()) co_return fail(connect_error(endpoint, ETIMEDOUT));
  }
  waiter.clear_deadline();
  if (const int error = connection->connect_error(); error != 0) {
    co_return fail(connect_error(endpoint, error));
  }
  co_return connection;
}

void UpstreamPool::keep(const Endpoint& endpoint, ConnectionPtr connection) {
  Bundle& bundle = bundles_[endpoint];
  if (bundle.size() >= options_.max_idle_per_endpoint) return;
  connection->set_waiter(&waiter_);
  const TimePoint now = reactor_.now();
  if (!waiter_.has_deadline()) {
    waiter_.set_deadline(now + options_.idle_timeout);
  }
  bundle.push_back({std::move(connection), now});
}

void UpstreamPool::clear() {
  bundles_.clear();
}

std::size_t UpstreamPool::idle() const {
  std::size_t sum = 0;
  for (const auto& [endpoint, bundle] : bundles_) sum += bundle.size();
  return sum;
}

http::Task<void> UpstreamPool::sweep_loop() {
  for (;;) {
    co_await waiter_.wait();
    waiter_.set_deadline(sweep(reactor_.now()));
  }
}

TimePoint UpstreamPool::sweep(TimePoint now) {
  TimePoint next = TimePoint::max();
  for (auto& [endpoint, bundle] : bundles_) {
    std::erase_if(bundle, [&](const Kept& kept) {
      return kept.connection->peer_left() || kept.since + options_.idle_timeout <= now;
    });
    if (!bundle.empty()) next = std::min(next, bundle.front().since + options_.idle_timeout);
  }
  // The buckets of endpoints that are in use stay: they will be filled again in a moment.
  if (bundles_.size() > kManyEndpoints) {
    std::erase_if(bundles_, [](const auto& entry) { return entry.second.empty(); });
  }
  return next;
}

}  // namespace bellows::proxy
