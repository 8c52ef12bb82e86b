// The fake API server of the tests as a program, with as many pods of real size as a large cluster
// has, for benchmarks of its clients.
//
//   fake_api_server [REVISIONS [PODS [MINOR_VERSION]]]     default: 3000 30000 36
//
// It prints "listening on http://127.0.0.1:PORT" and then obeys lines on its standard input, each
// of which it answers by one line:
//
//   events N    changes N pods a second from now on (0: none): each turns ready or unready
//   counts      nothing else
//   break       drops all connections
//   compact     forgets all earlier versions and drops all connections, so that all list anew
//   quit
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <cstdio>
#include <cstdlib>
#include <istream>
#include <string>
#include <vector>

#include "base/sys/clock.hpp"
#include "http/io/program.hpp"
#include "http/io/task_group.hpp"
#include "tests/support/fake_api_server.hpp"
#include "tests/support/sample_objects.hpp"

namespace bellows {
namespace {

using namespace std::chrono_literals;
using kubernetes::Resource;

constexpr int kNamespaces = 30;
constexpr Duration kTick = 10ms;

struct Size {
  int revisions = 3000;
  int pods = 30000;
  int minor_version = 36;
};

std::string namespace_of(int revision) {
  return "team-" + std::to_string(revision % kNamespaces);
}

std::string name_of(int revision) {
  return "checkout-service-" + std::to_string(100000 + revision);
}

std::string service_json(int revision) {
  const std::string name = name_of(revision);
  return R"({"metadata":{"namespace":")" + namespace_of(revision) + R"(","name":")" + name +
         R"("},"spec":{"selector":{"app":")" + name +
         R"("},"ports":[{"name":"http","port":80,"targetPort":8080,"protocol":"TCP"}],)"
         R"("clusterIP":"10.96.0.1","type":"ClusterIP"}})";
}

test::SamplePod pod_of(int index, const Size& size) {
  const int revision = index % size.revisions;
  test::SamplePod pod;
  pod.ns = namespace_of(revision);
  pod.owner = name_of(revision) + "-6d5f9c7b54";
  pod.name = pod.owner + "-" + std::to_string(100000 + index);
  pod.uid = "5f7c9a52-3f0e-4c7b-9d1e-1c2b3a" + std::to_string(100000 + index);
  pod.ip = "10." + std::to_string(128 + index / 65536) + "." + std::to_string(index / 256 % 256) +
           "." + std::to_string(index % 256);
  return pod;
}

void fill(test::FakeApiStore& store, const Size& size) {
  store.add_kind({.resource = {"bellows.dev", "v1alpha1", "revisions"},
                  .kind = "Revision",
                  .has_status = true});
  for (int i = 0; i < size.revisions; ++i) {
    const int replicas = size.pods / size.revisions + (i < size.pods % size.revisions ? 1 : 0);
    store.put(kubernetes::deployments(),
              test::deployment_json(namespace_of(i), name_of(i), replicas, 1));
    store.put(kubernetes::services(), service_json(i));
  }
  for (int i = 0; i < size.pods; ++i) store.put(kubernetes::pods(), pod_json(pod_of(i, size)));
}

/// The pod as the kubelet reports it when its readiness has changed.
std::string turned(std::string text) {
  for (const char* type :
       {"\"type\":\"Ready\",\"status\":\"", "\"type\":\"ContainersReady\",\"status\":\""}) {
    const std::string mark = type;
    const std::size_t at = text.find(mark);
    if (at == std::string::npos) continue;
    const bool is_true = text.compare(at + mark.size(), 4, "True") == 0;
    text.replace(at + mark.size(), is_true ? 4 : 5, is_true ? "False" : "True");
  }
  return text;
}

class Server {
 public:
  Server(http::net::io_context& io, const Size& size)
      : size_(size), api_(io, {.minor_version = size.minor_version}), tasks_(io) {
    fill(api_.store(), size);
    std::printf("listening on %s\n", api_.url().c_str());
    std::fflush(stdout);
    tasks_.spawn("events", [this] { return change_pods(); });
  }

  /// False: it is over.
  bool obey(const std::string& line) {
    if (line == "quit") return false;
    if (line.starts_with("events ")) {
      rate_ = std::atoi(line.c_str() + 7);
      due_ = 0;
    } else if (line == "break") {
      api_.drop_connections();
    } else if (line == "compact") {
      api_.store().compact();
      api_.drop_connections();
    }
    if (line.starts_with("events ") || line == "break" || line == "compact" || line == "counts") {
      std::printf("requests=%zu events=%llu watches=%zu pods=%zu\n", api_.requests().size(),
                  static_cast<unsigned long long>(events_), api_.watches(),
                  api_.store().count(kubernetes::pods()));
    } else {
      std::printf("unknown: %s; want events N, counts, break, compact or quit\n", line.c_str());
    }
    std::fflush(stdout);
    return true;
  }

  http::Awaitable<void> stop() {
    tasks_.stop();
    co_await tasks_.join(sys::system_clock().now() + 1s);
  }

 private:
  http::Awaitable<void> change_pods() {
    TimePoint at = sys::system_clock().now();
    for (;;) {
      at += kTick;
      const bool may_go_on = co_await http::sleep_until(at);
      if (!may_go_on) co_return;
      due_ += rate_ * std::chrono::duration<double>(kTick).count();
      for (; due_ >= 1; due_ -= 1) change(next_++ % size_.pods);
    }
  }

  void change(int index) {
    const test::SamplePod pod = pod_of(index, size_);
    const auto text = api_.store().find(kubernetes::pods(), pod.ns, pod.name);
    if (text == nullptr) return;
    api_.store().put(kubernetes::pods(), turned(*text));
    ++events_;
  }

  Size size_;
  test::FakeApiServer api_;
  int rate_ = 0;  // events a second
  double due_ = 0;
  int next_ = 0;
  std::uint64_t events_ = 0;
  http::TaskGroup tasks_;
};

http::Awaitable<int> serve(http::net::io_context& io, Size size) {
  Server server(io, size);
  http::net::posix::basic_stream_descriptor<http::Executor> input(io, STDIN_FILENO);
  http::net::streambuf buffer;
  bool goes_on = true;
  while (goes_on) {
    boost::system::error_code error;
    co_await http::net::async_read_until(input, buffer, '\n', http::awaiting(error));
    if (error) break;
    std::istream lines(&buffer);
    std::string line;
    std::getline(lines, line);
    goes_on = server.obey(line);
  }
  co_await server.stop();
  co_return 0;
}

}  // namespace
}  // namespace bellows

int main(int argc, char** argv) {
  bellows::Size size;
  if (argc > 1) size.revisions = std::atoi(argv[1]);
  if (argc > 2) size.pods = std::atoi(argv[2]);
  if (argc > 3) size.minor_version = std::atoi(argv[3]);
  if (size.revisions < 1 || size.pods < 1) {
    std::fprintf(stderr, "usage: %s [REVISIONS [PODS [MINOR_VERSION]]], each at least 1\n",
                 argv[0]);
    return 2;
  }
  return bellows::http::run_program(
      [&](bellows::http::net::io_context& io) { return bellows::serve(io, size); });
}
