// From the moment that a starting replica takes requests to the first byte of a held request there:
// an activator with real sockets, a cluster that lists the replica as starting and never calls it
// ready, and a queue-proxy that says no until its app is ready. See bench/README.md.
//   early_start_bench STARTS [OTHERS]
// STARTS cold starts, one after the other; meanwhile OTHERS revisions wait for replicas that never
// become ready, so that probes take turns.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "activator/service/activator_service.hpp"
#include "base/random.hpp"
#include "bench/published_cluster.hpp"
#include "http/io/program.hpp"
#include "http/io/resolve.hpp"
#include "proxy/io/proxy_server.hpp"

namespace {

using namespace bellows;  // NOLINT: a program of one page
using namespace std::chrono_literals;

const Endpoint kAnyPort{.host = "127.0.0.1", .port = 0, .unix_path = {}};

/// A queue-proxy: its app is ready from a moment on.
class QueueProxy final : public proxy::RequestHandler {
 public:
  explicit QueueProxy(http::Reactor& reactor) : reactor_(reactor), server_(reactor, *this) {
    address = server_.listen(kAnyPort).value();
  }

  http::Task<void> handle(proxy::Exchange& exchange) override {
    proxy::LocalReply reply;
    if (exchange.head().fields.find("k-network-probe")) {
      const bool is_ready = reactor_.now() >= ready_at;
      reply.status = is_ready ? 200 : 503;
      reply.body = "queue";
      reply.reason = is_ready ? "probe" : "unavailable";
    } else {
      first_byte = exchange.arrived();
    }
    co_await exchange.send_local_reply(std::move(reply));
  }
  http::Awaitable<void> stop() { return server_.stop(reactor_.now()); }

  Endpoint address;
  TimePoint ready_at = TimePoint::max();
  std::optional<TimePoint> first_byte;

 private:
  http::Reactor& reactor_;
  proxy::ProxyServer server_;
};

cluster::RevisionPtr revision(const std::string& name, const Endpoint* replica) {
  cluster::Revision made;
  made.id = RevisionId(name);
  made.route.host = name + ".example";
  made.requested = 1;
  if (replica != nullptr) {
    auto starting = std::make_shared<cluster::Replica>();
    starting->name = PodName(name + "-1");
    starting->phase = cluster::ReplicaPhase::kStarting;
    starting->address = *replica;
    made.replicas.push_back(std::move(starting));
  }
  return std::make_shared<const cluster::Revision>(std::move(made));
}

/// A connection with a request that is on its way.
int send_request(const Endpoint& activator, const std::string& name) {
  const http::SocketAddress address = http::listening_address(activator).value();
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const std::string request = "GET / HTTP/1.1\r\nHost: " + name + ".example\r\n\r\n";
  if (::connect(fd, address.get(), address.size) != 0) return -1;
  return ::write(fd, request.data(), request.size()) > 0 ? fd : -1;
}

class Bench {
 public:
  explicit Bench(http::net::io_context& io)
      : reactor_(io, sys::system_clock()),
        cluster_(io),
        registry_("bench"),
        replica_(reactor_),
        other_(reactor_) {
    activator::ActivatorOptions options;
    options.listen = kAnyPort;
    options.identity = {.pod = PodName("activator-1"), .boot = 1};
    options.probes_starts = true;
    service_ = std::make_unique<activator::ActivatorService>(reactor_, cluster_, stats_, registry_,
                                                             std::move(options));
    activator_ = service_->start().value();
  }

  http::Awaitable<int> run(int starts, int others) {
    std::vector<int> callers;
    for (int i = 0; i < others; ++i) {
      const std::string name = "other" + std::to_string(i);
      cluster_.publisher.put(revision(name, &other_.address));
      co_await http::sleep_for(1ms);
      callers.push_back(send_request(activator_, name));
    }
    std::vector<double> milliseconds;
    for (int i = 0; i < starts; ++i)
      milliseconds.push_back(co_await start("web" + std::to_string(i)));
    std::ranges::sort(milliseconds);
    const auto at = [&](double share) {
      return milliseconds[std::min(milliseconds.size() - 1,
                                   static_cast<std::size_t>(share * static_cast<double>(starts)))];
    };
    std::printf(
        "%d cold starts beside %d: ready to first byte at the replica p50 %.1f ms, p99 %.1f ms, "
        "most %.1f ms\n",
        starts, others, at(0.5), at(0.99), milliseconds.back());
    for (const int fd : callers) ::close(fd);
    co_await service_->stop(reactor_.now());
    co_await replica_.stop();
    co_await other_.stop();
    reactor_.stop();
    co_return EXIT_SUCCESS;
  }

 private:
  /// One cold start: the request waits, the address is listed, the app becomes ready.
  http::Awaitable<double> start(std::string name) {
    cluster_.publisher.put(revision(name, nullptr));
    co_await http::sleep_for(1ms);
    const int caller = send_request(activator_, name);
    co_await http::sleep_for(10ms);
    replica_.first_byte.reset();
    replica_.ready_at = TimePoint::max();
    cluster_.publisher.put(revision(name, &replica_.address));
    co_await http::sleep_for(std::chrono::microseconds(random_.next() % 60000));
    replica_.ready_at = reactor_.now();
    const TimePoint ready = sys::system_clock().now();
    while (!replica_.first_byte) co_await http::sleep_for(1ms);
    const double took = to_seconds(*replica_.first_byte - ready) * 1000;
    replica_.ready_at = TimePoint::max();
    ::close(caller);
    cluster_.publisher.erase(RevisionId(name));
    co_return took;
  }

  http::Reactor reactor_;
  PublishedCluster cluster_;
  IgnoredStats stats_;
  metrics::prometheus::Registry registry_;
  QueueProxy replica_;
  QueueProxy other_;  // never ready
  SeededRandom random_{1};
  std::unique_ptr<activator::ActivatorService> service_;
  Endpoint activator_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: early_start_bench STARTS [OTHERS]\n");
    return 2;
  }
  const int starts = std::max(1, std::atoi(argv[1]));
  const int others = argc > 2 ? std::atoi(argv[2]) : 0;
  return http::run_program([&](http::net::io_context& io) -> http::Awaitable<int> {
    Bench bench(io);
    co_return co_await bench.run(starts, others);
  });
}
