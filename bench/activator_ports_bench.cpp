// What listening ports cost an activator: memory, and the CPU time of a request. 3,000 revisions
// are listed, PORTS of them with a port of their own; one kept-alive caller in another process
// sends REQUESTS to the port of the first one. See bench/README.md.
//   activator_ports_bench PORTS REQUESTS
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "activator/service/activator_service.hpp"
#include "bench/published_cluster.hpp"
#include "http/io/bound_socket.hpp"
#include "http/io/program.hpp"
#include "http/io/resolve.hpp"

namespace {

using namespace bellows;  // NOLINT: a program of one page

constexpr int kRevisions = 3000;
constexpr std::uint16_t kFirstPort = 20000;
/// Nobody else listens there.
const std::string kHost = "127.77.0.1";

/// A value of /proc/self/status in KiB.
long status_kib(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key + ":")) return std::strtol(line.c_str() + key.size() + 1, nullptr, 10);
  }
  return 0;
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Reads until the end of a head without body.
bool read_message(int fd, std::string& buffer) {
  std::array<char, 4096> bytes;  // NOLINT: filled by reads
  buffer.clear();
  while (!buffer.ends_with("\r\n\r\n")) {
    const ssize_t got = ::read(fd, bytes.data(), bytes.size());
    if (got <= 0) return false;
    buffer.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return true;
}

void answer_all(int fd) {
  const std::string response = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  std::string request;
  while (read_message(fd, request)) {
    if (::write(fd, response.data(), response.size()) < 0) break;
  }
  ::close(fd);
}

int connect_to(const Endpoint& endpoint) {
  const http::SocketAddress address = http::listening_address(endpoint).value();
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return ::connect(fd, address.get(), address.size) == 0 ? fd : -1;
}

/// The replica and the caller.
int run_peers(int listening, int go, int requests) {
  std::thread replica([listening] {
    for (int fd = ::accept(listening, nullptr, nullptr); fd >= 0;
         fd = ::accept(listening, nullptr, nullptr)) {
      std::thread(answer_all, fd).detach();
    }
  });
  replica.detach();
  char byte = 0;
  if (::read(go, &byte, 1) != 1) return EXIT_FAILURE;
  const int fd = connect_to({.host = kHost, .port = kFirstPort, .unix_path = {}});
  const std::string request = "GET / HTTP/1.1\r\nHost: public.example\r\n\r\n";
  std::string response;
  for (int i = 0; i < requests; ++i) {
    const bool is_served = ::write(fd, request.data(), request.size()) > 0 &&
                           read_message(fd, response) && response.starts_with("HTTP/1.1 200");
    if (!is_served) return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

cluster::RevisionPtr revision(int number, int ports, const Endpoint& replica) {
  cluster::Revision made;
  made.id = RevisionId("shop/r" + std::to_string(number));
  made.route.host = "r" + std::to_string(number) + ".example";
  made.path.activators = {PodName("activator-1")};
  if (number < ports) made.path.activator_port = static_cast<std::uint16_t>(kFirstPort + number);
  auto one = std::make_shared<cluster::Replica>();
  one->name = PodName("r-1");
  one->phase = cluster::ReplicaPhase::kReady;
  one->address = replica;
  made.replicas.push_back(std::move(one));
  return std::make_shared<const cluster::Revision>(std::move(made));
}

http::Awaitable<int> measure(http::net::io_context& io, const Endpoint& replica, int ports,
                             int requests, int go, pid_t peers) {
  http::Reactor reactor(io, sys::system_clock());
  PublishedCluster cluster(io);
  IgnoredStats stats;
  metrics::prometheus::Registry registry("bench");
  activator::ActivatorOptions options;
  options.listen = {.host = kHost, .port = 0, .unix_path = {}};
  options.identity = {.pod = PodName("activator-1"), .boot = 1};
  activator::ActivatorService service(reactor, cluster, stats, registry, std::move(options));
  if (!service.start()) co_return EXIT_FAILURE;
  for (int i = 0; i < kRevisions; ++i) cluster.publisher.put(revision(i, 0, replica));
  co_await http::sleep_for(std::chrono::milliseconds(500));
  const long before = status_kib("VmRSS");
  const TimePoint began = sys::system_clock().now();
  for (int i = 0; i < kRevisions; ++i) cluster.publisher.put(revision(i, ports, replica));
  co_await http::sleep_for(std::chrono::milliseconds(1));
  const Duration opening = sys::system_clock().now() - began;
  const long after = status_kib("VmRSS");
  const double cpu_before = cpu_seconds();
  if (::write(go, "g", 1) != 1) co_return EXIT_FAILURE;
  int status = 0;
  while (::waitpid(peers, &status, WNOHANG) == 0) {
    co_await http::sleep_for(std::chrono::milliseconds(100));
  }
  const double cpu = cpu_seconds() - cpu_before;
  std::printf("%d ports: open %zu, opened in %.1f ms, memory %ld KiB, with them %+ld KiB, ", ports,
              service.ports().open(), to_seconds(opening) * 1000, before, after - before);
  std::printf("CPU of a request %.3f us%s\n", cpu * 1e6 / std::max(1, requests),
              status == 0 ? "" : ", FAILED");
  co_await service.stop(sys::system_clock().now());
  reactor.stop();
  co_return status == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: activator_ports_bench PORTS REQUESTS\n");
    return 2;
  }
  const int ports = std::clamp(std::atoi(argv[1]), 1, kRevisions);
  const int requests = std::atoi(argv[2]);
  auto replica = http::bind_and_listen({.host = kHost, .port = 0, .unix_path = {}}, 0600).value();
  ::fcntl(replica.socket.get(), F_SETFL, 0);  // NOLINT: blocking
  std::array<int, 2> go{};
  if (::pipe(go.data()) != 0) return EXIT_FAILURE;
  const pid_t peers = ::fork();
  if (peers == 0) std::_Exit(run_peers(replica.socket.get(), go[0], requests));
  return http::run_program([&](http::net::io_context& io) {
    return measure(io, replica.endpoint, ports, requests, go[1], peers);
  });
}
