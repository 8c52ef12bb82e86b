#include "activator/service/worker.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <future>
#include <system_error>
#include <utility>

#include "activator/service/secure_port.hpp"
#include "base/sys/log.hpp"
#include "base/sys/signals_blocked.hpp"
#include "http/io/socket_connection.hpp"

namespace bellows::activator {
namespace {

/// A loop has its next turn within milliseconds.
constexpr std::chrono::seconds kLongestTurn{1};

/// Removes the limit per client, because clients are counted where connections are accepted.
proxy::ProxyServerOptions without_clients(proxy::ProxyServerOptions options) {
  options.max_client_connections = 0;
  return options;
}

/// Records cold starts at home.
ColdStartObserver told_at_home(const WorkerWorld& world, const Lifetime& lifetime) {
  return [&world, &lifetime](const ColdStart& start) {
    http::net::post(world.home.io(),
                    lifetime.bind([&world, start] { world.on_cold_start(start); }));
  };
}

/// Makes a log that writes lines at home, so that those of two loops do not mix.
std::unique_ptr<proxy::AccessLog> access_log_of(const WorkerWorld& world, const Lifetime& lifetime,
                                                http::Reactor& reactor) {
  if (world.access_log == nullptr) return nullptr;
  const auto write = [&world, &lifetime](std::string_view lines) {
    http::net::post(
        world.home.io(),
        lifetime.bind([log = world.access_log, text = std::string(lines)] { log->add(text); }));
    return sys::Written{.bytes = lines.size()};
  };
  return world.access_log->for_loop(reactor, {.write = write, .wait_for_room = {}});
}

}  // namespace

Worker::Worker(const WorkerWorld& world)
    : world_(world),
      io_(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO),
      reactor_(io_, world.home.clock()),
      settled_(reactor_, world.router.lock()),
      pool_(reactor_, world.upstream),
      handler_(world.router, pool_, &settled_, told_at_home(world, lifetime_),
               world.access_log != nullptr || world.spans != nullptr),
      access_log_(access_log_of(world, lifetime_, reactor_)),
      server_(reactor_, handler_, without_clients(world.options)) {
  server_.set_observer(observer());
  server_.serve_for(*this);
}

Worker::~Worker() {
  end();
}

proxy::ExchangeObserver Worker::observer() {
  if (!access_log_ && world_.spans == nullptr) return {};
  return [this](proxy::Exchange& exchange, const proxy::Outcome& outcome) {
    if (world_.spans != nullptr) {
      if (auto span = world_.spans->json_of(exchange, outcome)) {
        http::net::post(
            world_.home.io(),
            lifetime_.bind([spans = world_.spans, span = *std::move(span)] { spans->add(span); }));
      }
    }
    if (access_log_) access_log_->write(exchange, outcome);
    exchange.drop_notes();
  };
}

Result<void> Worker::start() {
  const sys::SignalsBlocked blocked;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    return fail(ErrorKind::kSystem, "workers",
                std::string("no further thread: ") + error.code().message());
  }
  return {};
}

void Worker::run() {
  settled_.settle_in();
  io_.run();
}

void Worker::end() {
  if (!thread_.joinable()) return;
  http::net::post(io_, [this] { io_.stop(); });
  thread_.join();
}

void Worker::serve(proxy::NewConnection connection, std::unique_ptr<http::TlsSession> session,
                   SecurePort* secure) {
  connections_.fetch_add(1, std::memory_order_relaxed);
  const proxy::PortState state = connection.port->state();
  http::net::post(io_, [this, secure, state, connection = std::move(connection),
                        session = std::move(session)]() mutable {
    server_.set_port_state(own_port(connection.port), state);
    adopt(std::move(connection), std::move(session), secure);
  });
}

void Worker::adopt(proxy::NewConnection connection, std::unique_ptr<http::TlsSession> session,
                   SecurePort* secure) {
  std::unique_ptr<http::Connection> made;
  if (session) {
    made = secure->connect(reactor_, std::move(connection.socket), connection.peer,
                           std::move(session));
  } else {
    made = std::make_unique<http::SocketConnection>(reactor_, std::move(connection.socket));
  }
  server_.adopt(std::move(made), connection.peer, own_port(connection.port),
                std::move(connection.client));
}

proxy::PortPtr Worker::own_port(const proxy::PortPtr& port) {
  SamePort& same = ports_[port.get()];
  if (same.here == nullptr) {
    same = {.at_home = port,
            .here = std::make_shared<proxy::Port>(port->callers(), port->shared_context())};
  }
  return same.here;
}

void Worker::set_port_state(const proxy::PortPtr& port, proxy::PortState state) {
  http::net::post(io_, [this, port, state] {
    server_.set_port_state(own_port(port), state);
    if (state == proxy::PortState::kClosed) ports_.erase(port.get());
  });
}

void Worker::connection_ended(const std::string& client) {
  connections_.fetch_sub(1, std::memory_order_relaxed);
  if (client.empty()) return;
  http::net::post(world_.home.io(),
                  lifetime_.bind([this, client] { world_.server.client_left(client); }));
}

void Worker::room_changed(bool has_room) {
  has_room_.store(has_room, std::memory_order_relaxed);
}

void Worker::start_draining(proxy::IdleConnections idle) {
  http::net::post(io_, [this, idle] {
    handler_.start_draining();
    server_.start_draining(idle);
  });
}

void Worker::begin_stop(TimePoint deadline) {
  http::net::post(
      io_, [this, deadline] { http::net::co_spawn(io_, stop(deadline), http::net::detached); });
}

http::Awaitable<void> Worker::stop(TimePoint deadline) {
  co_await server_.stop(deadline);
  pool_.clear();
  if (access_log_) access_log_->flush();
  http::net::post(world_.home.io(), lifetime_.bind([this] { note_empty(); }));
}

void Worker::note_empty() {
  is_empty_ = true;
}

/// Runs `look` in a turn of the loop and returns its result. The loop waits for this thread only at
/// a lock, which this thread does not hold here.
template <class Look>
auto Worker::look(Look look) -> std::optional<decltype(look())> {
  if (!thread_.joinable()) return look();
  const auto promise = std::make_shared<std::promise<decltype(look())>>();
  auto seen = promise->get_future();
  http::net::post(io_, [promise, look] { promise->set_value(look()); });
  if (seen.wait_for(kLongestTurn) != std::future_status::ready) {
    sys::log::warning("a worker does not respond");
    return std::nullopt;
  }
  return seen.get();
}

WorkerReport Worker::report(TimePoint since) {
  if (auto seen = look([this, since] { return report_here(since); })) {
    last_report_ = *std::move(seen);
  }
  return last_report_;
}

void Worker::tick() {
  look([this] {
    reactor_.tick();
    return true;
  });
}

WorkerReport Worker::report_here(TimePoint since) const {
  return {.totals = proxy::totals_of(server_, pool_),
          .unrouted = handler_.unrouted(),
          .connections = server_.connections(),
          .last_silent_connection = server_.last_silent_connection(since),
          .last_arrival = handler_.last_arrival()};
}

std::vector<proxy::LoggedReply> Worker::replies_of(const std::string& id) {
  return look([this, id] { return replies_here(id); }).value_or(std::vector<proxy::LoggedReply>());
}

std::vector<proxy::LoggedReply> Worker::replies_here(const std::string& id) const {
  std::vector<proxy::LoggedReply> found;
  for (const proxy::LoggedReply* const reply : server_.replies().find(id)) found.push_back(*reply);
  return found;
}

}  // namespace bellows::activator
