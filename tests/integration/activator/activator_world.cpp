#include "tests/integration/activator/activator_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <string>
#include <utility>

#include "proxy/core/hop_headers.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/run_until.hpp"

namespace bellows::activator {
namespace {

namespace net = http::net;

class Listening final : public cluster::Subscription {
 public:
  explicit Listening(cluster::Cluster::OnChange& on_change) : on_change_(on_change) {}
  ~Listening() override { on_change_ = nullptr; }

 private:
  cluster::Cluster::OnChange& on_change_;
};

}  // namespace

std::unique_ptr<cluster::Subscription> ListedCluster::subscribe(OnChange on_change) {
  on_change_ = std::move(on_change);
  return std::make_unique<Listening>(on_change_);
}

http::Awaitable<Result<void>> ListedCluster::scale(RevisionId, cluster::ScaleOrder order) {
  orders.push_back(std::move(order));
  if (!takes_orders) co_return fail(ErrorKind::kUnavailable, "cluster", "is unreachable");
  co_return Result<void>();
}

http::Awaitable<Result<void>> ListedCluster::set_state(RevisionId, cluster::RevisionState) {
  co_return Result<void>();
}

void ListedCluster::report(RevisionId, cluster::Report) {}

void ListedCluster::publish() {
  cluster::Changes changes;
  for (const cluster::RevisionPtr& listed : list_) {
    const bool is_listed = std::ranges::any_of(
        truth, [&](const cluster::Revision& revision) { return revision.id == listed->id; });
    if (!is_listed) changes.removed.push_back(listed->id);
  }
  for (const RevisionId& id : changes.removed) list_.erase(id);
  for (const cluster::Revision& revision : truth) {
    list_.put(std::make_shared<const cluster::Revision>(revision));
    changes.changed.push_back(revision.id);
  }
  if (on_change_) on_change_(changes);
}

Replica::Replica(http::Reactor& reactor, std::string name)
    : reactor_(reactor),
      name_(std::move(name)),
      server_(std::make_unique<proxy::ProxyServer>(reactor, *this)) {
  address_ = server_->listen(kAnyPort).value();
}

http::Task<void> Replica::handle(proxy::Exchange& exchange) {
  if (exchange.head().fields.find("k-network-probe")) {
    ++probes;
    proxy::LocalReply ready;
    ready.status = has_app_ ? 200 : 503;
    ready.body = "queue";
    ready.reason = "probe";
    co_await exchange.send_local_reply(std::move(ready));
    co_return;
  }
  paths.emplace_back(exchange.head().path);
  const http::Fields& fields = exchange.head().fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields.id(i) == http::FieldId::kInternal) heads.emplace_back(fields.line(i));
  }
  ++running;
  max_running = std::max(max_running, running);
  struct Leave {
    Replica& replica;
    http::Waiter* waiter;
    ~Leave() {
      --replica.running;
      std::erase(replica.held_, waiter);
    }
  };
  held_.push_back(&exchange.waiter());
  const Leave leave{*this, held_.back()};
  while (is_holding_ && !exchange.has_hung_up() && !exchange.is_stopping()) {
    co_await exchange.waiter().wait();
  }
  proxy::LocalReply answer;
  answer.body = name_ + " " + std::string(exchange.head().path);
  answer.body += exchange.head().query;
  answer.extra_lines = said_;
  if (is_full_ && proxy::read_slot_wait(fields) != proxy::SlotWait::kUnbounded) {
    answer.status = 503;
    answer.reason = "overloaded";
    answer.extra_lines += "X-Bellows-Retry: elsewhere\r\n";
  } else if (!has_app_) {
    answer.status = 502;
    answer.extra_lines += "X-Bellows-Retry: elsewhere\r\n";
  } else if (failing_.status != 0) {
    answer.status = failing_.status;
    answer.reason = failing_.reason;
  } else if (exchange.head().path == dropped_path_) {
    answer.status = 502;
    answer.reason = "reset";
    if (exchange.head().method == "GET") answer.extra_lines += "X-Bellows-Retry: elsewhere\r\n";
  }
  co_await exchange.send_local_reply(std::move(answer));
}

cluster::Replica Replica::listed() const {
  cluster::Replica replica;
  replica.name = PodName(name_);
  replica.phase = cluster::ReplicaPhase::kReady;
  replica.address = address_;
  replica.start = {
      .ordered = reactor_.now(), .process_started = reactor_.now(), .ready = reactor_.now()};
  return replica;
}

void Replica::release() {
  is_holding_ = false;
  for (http::Waiter* waiter : held_) waiter->wake();
}

Caller::Caller(net::io_context& io, Endpoint activator, std::string request)
    : socket_(io.get_executor()) {
  net::co_spawn(io, call(std::move(activator), std::move(request)), net::detached);
}

http::Awaitable<void> Caller::call(Endpoint activator, std::string request) {
  boost::system::error_code error;
  const net::ip::tcp::endpoint address(net::ip::make_address(activator.host), activator.port);
  co_await socket_.async_connect(address, http::awaiting(error));
  if (!error) {
    co_await net::async_write(socket_, net::buffer(request), http::awaiting(error));
    co_await net::async_read(socket_, net::dynamic_buffer(answer_), http::awaiting(error));
  }
  is_done_ = true;
  hang_up();  // a server that waits for its callers to close first would wait forever
}

void Caller::hang_up() {
  boost::system::error_code ignored;
  socket_.close(ignored);  // NOLINT: an error here has no effect
}

int Caller::status() const {
  return answer_.starts_with("HTTP/1.1 ") ? std::stoi(answer_.substr(9, 3)) : 0;
}

std::string Caller::body() const {
  const std::size_t end = answer_.find("\r\n\r\n");
  return end == std::string::npos ? "" : answer_.substr(end + 4);
}

std::size_t tested_workers() {
  const char* const text = std::getenv("BELLOWS_TEST_WORKERS");  // NOLINT: no thread changes it
  return text == nullptr ? 1 : std::stoul(text);
}

ActivatorWorld::ActivatorWorld(bool is_autoscaler_connected, config::AccessLogSettings log_settings,
                               bool probes_starts, std::size_t workers) {
  cluster::Revision revision;
  revision.id = RevisionId("web");
  cluster.truth.push_back(revision);
  cluster.publish();
  ActivatorOptions options;
  options.listen = kAnyPort;
  options.server.error_detail = config::ErrorDetail::kFull;
  if (log_settings.enabled) {
    const auto take = [this](std::string_view lines) {
      const std::size_t taken = std::min(lines.size(), log_room);
      logged += lines.substr(0, taken);
      log_room -= taken;
      return sys::Written{.bytes = taken, .error = taken < lines.size() ? log_error : 0};
    };
    access_log = std::make_unique<proxy::AccessLog>(
        reactor, log_settings, proxy::AccessSink{.write = take, .wait_for_room = {}});
    options.access_log = access_log.get();
  }
  options.identity = {.pod = PodName("activator-1"), .boot = 7};
  options.is_autoscaler_connected = [is_autoscaler_connected] { return is_autoscaler_connected; };
  options.probes_starts = probes_starts;
  options.workers = workers;
  service =
      std::make_unique<ActivatorService>(reactor, cluster, sink, registry, std::move(options));
  address_ = service->start().value();
}

ActivatorWorld::~ActivatorWorld() {
  for (const auto& caller : callers_) caller->hang_up();
  stop_service(Duration::zero());
  service.reset();
  replicas.clear();
  reactor.stop();
  io.restart();
  io.run_for(test::kPatience);
}

void ActivatorWorld::stop_service(Duration timeout) {
  if (std::exchange(is_stopped_, true)) return;
  test::run_task<void>(
      io, [&]() -> http::Awaitable<void> { co_await service->stop(clock.now() + timeout); });
}

Replica& ActivatorWorld::add_replica(const std::string& name) {
  replicas.push_back(std::make_unique<Replica>(reactor, name));
  list(*replicas.back());
  return *replicas.back();
}

void ActivatorWorld::list(Replica& replica) {
  list(replica.listed());
}

void ActivatorWorld::list_starting(Replica& replica) {
  cluster::Replica starting = replica.listed();
  starting.phase = cluster::ReplicaPhase::kStarting;
  starting.start.ready.reset();
  list(std::move(starting));
}

void ActivatorWorld::list(cluster::Replica replica) {
  auto& listed = web().replicas;
  const auto entry = std::make_shared<const cluster::Replica>(std::move(replica));
  std::erase_if(listed, [&](const cluster::ReplicaPtr& old) { return old->name == entry->name; });
  listed.push_back(entry);
  std::sort(listed.begin(), listed.end(),
            [](const auto& a, const auto& b) { return a->name < b->name; });
  cluster.publish();
}

void ActivatorWorld::unlist(const std::string& name) {
  std::erase_if(web().replicas,
                [&](const cluster::ReplicaPtr& replica) { return replica->name.text() == name; });
  cluster.publish();
}

Caller& ActivatorWorld::get(const std::string& path, const std::string& lines) {
  callers_.push_back(std::make_unique<Caller>(
      io, address_, "GET " + path + " HTTP/1.1\r\n" + lines + "Connection: close\r\n\r\n"));
  return *callers_.back();
}

Caller& ActivatorWorld::post(const std::string& path) {
  callers_.push_back(std::make_unique<Caller>(
      io, address_,
      "POST " + path +
          " HTTP/1.1\r\nHost: web.example\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody"));
  return *callers_.back();
}

test::TestPeer ActivatorWorld::connect(std::uint16_t port, const std::string& bytes) {
  test::TestPeer peer = test::TestPeer::connect_to(port);
  EXPECT_TRUE(peer.say(bytes));
  return peer;
}

std::string ActivatorWorld::hears(test::TestPeer& peer, const std::string& text) {
  until([&] {
    peer.listen();
    return peer.has_ended() || peer.received().find(text) != std::string::npos;
  });
  return peer.received().find(text) != std::string::npos ? peer.take_received() : "";
}

bool ActivatorWorld::hears_end(test::TestPeer& peer) {
  until([&] {
    peer.listen();
    return peer.has_ended();
  });
  return !peer.was_reset();
}

void ActivatorWorld::until(const std::function<bool()>& condition) {
  // Other workers change what the condition looks at without a word to this loop.
  constexpr auto kLookAgain = std::chrono::milliseconds(2);
  const TimePoint end = sys::system_clock().now() + test::kPatience;
  while (!condition()) {
    ASSERT_LT(sys::system_clock().now(), end) << "the condition did not become true in time";
    io.restart();
    io.run_one_for(kLookAgain);
  }
  if (service->connections_by_worker().size() > 1) settle();
}

/// What other workers have under way is done, and told here.
void ActivatorWorld::settle() {
  for (int round = 0; round < 2; ++round) {
    service->tick();
    io.restart();
    io.poll();
  }
  service->refresh_gauges();
}

void ActivatorWorld::until_done(const Caller& caller) {
  until([&] { return caller.is_done(); });
}

void ActivatorWorld::until_done_in_time(const Caller& caller) {
  until_in_time([&] { return caller.is_done(); });
}

void ActivatorWorld::until_in_time(const std::function<bool()>& condition) {
  const TimePoint end = sys::system_clock().now() + test::kPatience;
  while (!condition()) {
    ASSERT_LT(sys::system_clock().now(), end) << "the condition did not become true in time";
    io.restart();
    io.run_for(std::chrono::milliseconds(1));  // all that is ready, before time passes
    pass(std::chrono::milliseconds(10));
  }
}

void ActivatorWorld::until_waiting(std::int64_t count) {
  until([&] { return waiting() == count; });
}

void ActivatorWorld::pass(Duration duration) {
  clock.advance(duration);
  reactor.tick();
  service->tick();
}

void ActivatorWorld::write_logs() {
  settle();
  pass(std::chrono::milliseconds(200));
  settle();
}

void ActivatorWorld::until_logged(std::size_t lines) {
  until([&] {
    write_logs();
    return static_cast<std::size_t>(std::ranges::count(logged, '\n')) >= lines;
  });
}

std::int64_t ActivatorWorld::waiting() const {
  return service->status().front().waiting;
}

std::int64_t ActivatorWorld::in_flight() const {
  return service->status().front().in_flight;
}

}  // namespace bellows::activator
