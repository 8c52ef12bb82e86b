#include "tests/integration/cluster/kubernetes/pretended_activators.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/sys/clock.hpp"
#include "tests/integration/cluster/kubernetes/pretended_controllers.hpp"

namespace bellows::test {

namespace {

constexpr Duration kBetweenLooks = std::chrono::milliseconds(3);

/// Test processes that run at the same time have addresses of their own.
std::string loopback(int number) {
  const auto process = static_cast<unsigned>(getpid());
  return "127." + std::to_string(1 + (process >> 8U) % 250U) + "." +
         std::to_string(process % 256U) + "." + std::to_string(10 + number);
}

}  // namespace

PretendedActivators::PretendedActivators(http::net::io_context& io, FakeApiServer& server,
                                         const cluster::Cluster& cluster)
    : io_(io), server_(server), cluster_(cluster), tasks_(io) {}

void PretendedActivators::start() {
  tasks_.spawn("activators", [this] { return run(); });
}

http::Awaitable<void> PretendedActivators::stop() {
  tasks_.stop();
  const TimePoint deadline = sys::system_clock().now() + std::chrono::seconds(5);
  const auto joined = co_await tasks_.join(deadline);
  (void)joined;
  for (auto& [name, activator] : activators_) {
    for (auto& [port, server] : activator.servers) co_await server->stop(deadline);
  }
}

http::Awaitable<void> PretendedActivators::run() {
  for (;;) {
    follow();
    const bool may_go_on = co_await http::sleep_for(kBetweenLooks);
    if (!may_go_on) co_return;
  }
}

void PretendedActivators::follow() {
  for (const cluster::RevisionPtr& revision : cluster_.revisions()) {
    const std::uint16_t port = revision->path.activator_port;
    if (port == 0) continue;
    for (auto& [name, activator] : activators_) {
      if (!activator.servers.contains(port)) listen(activator, port, revision->id);
    }
  }
}

void PretendedActivators::listen(One& activator, std::uint16_t port, const RevisionId& revision) {
  auto server = std::make_unique<http::ServiceServer>(io_);
  server->route("GET", "/",
                [&activator, revision](http::Request) -> http::Awaitable<http::Response> {
                  http::Response response;
                  if (activator.hangs) {
                    response.status = 503;
                    co_return response;
                  }
                  ++activator.answers;
                  response.headers.emplace_back("X-Bellows-Revision", revision.text());
                  co_return response;
                });
  const auto listening =
      server->listen(Endpoint{.host = activator.address, .port = port, .unix_path = {}});
  EXPECT_TRUE(listening) << (listening ? "" : to_string(listening.error()));
  activator.servers[port] = std::move(server);
}

void PretendedActivators::set(const std::string& name, bool is_ready, const std::string& zone) {
  One& activator = activators_[name];
  if (activator.address.empty()) activator.address = loopback(addresses_++);
  activator.is_ready = is_ready;
  activator.zone = zone;
  publish();
}

void PretendedActivators::remove(const std::string& name) {
  activators_.at(name).is_ready = false;
  activators_.at(name).zone = "gone";
  publish();
}

void PretendedActivators::publish() {
  std::string endpoints;
  for (const auto& [name, activator] : activators_) {
    if (activator.zone == "gone") continue;
    endpoints += (endpoints.empty() ? "" : ",") + std::string(R"({"addresses":[")") +
                 activator.address + R"("],"conditions":{"ready":)" +
                 (activator.is_ready ? "true" : "false") +
                 R"(},"targetRef":{"kind":"Pod","name":")" + name +
                 R"(","namespace":"bellows-system"},"nodeName":"node-)" + name + R"(","zone":")" +
                 activator.zone + R"("})";
  }
  server_.store().put(
      endpoint_slices(),
      R"({"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"namespace":)"
      R"("bellows-system","name":"bellows-activator-abcde","labels":{"kubernetes.io/service-name":)"
      R"("bellows-activator"}},"addressType":"IPv4","endpoints":[)" +
          endpoints + R"(],"ports":[{"name":"http","port":8012,"protocol":"TCP"}]})");
}

}  // namespace bellows::test
