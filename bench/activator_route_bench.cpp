// The cost of selecting the revision and the replica of a request in the activator, by the number
// of revisions and of replicas.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "activator/core/revision_throttler.hpp"
#include "activator/core/route_table.hpp"

namespace bellows::activator {
namespace {

constexpr TimePoint kNow{std::chrono::hours(24)};

std::string host_of(std::int64_t number) {
  return "service-" + std::to_string(number) + ".team.example";
}

/// Requests alternate between 64 services, so that the caches are as warm with 10,000 revisions as
/// with ten: the benchmark compares lookups, not memory latency.
void route(benchmark::State& state) {
  std::vector<RouteEntry> entries;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    RouteEntry entry;
    entry.revision = RevisionId("service-" + std::to_string(i));
    entry.route.host = host_of(i);
    entries.push_back(entry);
  }
  const RouteTable table(entries);
  constexpr std::int64_t kAsked = 64;
  std::vector<std::string> hosts;
  for (std::int64_t i = 0; i < kAsked; ++i) {
    hosts.push_back(host_of(i * state.range(0) / kAsked));
  }
  std::size_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(table.find(hosts[at], "/orders/4711?full=1"));
    at = (at + 1) % hosts.size();
  }
}
BENCHMARK(route)->Arg(10)->Arg(100)->Arg(1000)->Arg(10000);

/// The same services with what makes a lookup dearer: a wildcard for each team, of which
/// `state.range(1)` is asked (0: the exact host, 1: the wildcard), and rules with header conditions
/// beside each host (2).
void route_among_rules(benchmark::State& state) {
  RouteTable table;
  const auto add = [&table](std::int64_t number, config::RouteRule rule) {
    table.add({RevisionId("service-" + std::to_string(number)), std::move(rule)});
  };
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    add(i, {.host = host_of(i), .path_prefix = {}});
    add(i, {.host = "*." + host_of(i), .path_prefix = {}});
    add(i, {.host = host_of(i), .path_prefix = "/conditional", .headers = {{"x-debug"}}});
    add(i, {.host = host_of(i), .path_prefix = "/conditional", .headers = {{"x-version", "2"}}});
    add(i, {.host = host_of(i), .path_prefix = "/conditional"});
  }
  const std::string text =
      "GET /orders HTTP/1.1\r\nHost: x\r\nAccept: */*\r\nUser-Agent: bench\r\nX-Version: 1\r\n\r\n";
  http::RequestHead head;
  http::HeadParser parser;
  if (!parser.read(text, head).is_complete()) state.SkipWithError("no head");
  constexpr std::int64_t kAsked = 64;
  std::vector<std::string> hosts;
  for (std::int64_t i = 0; i < kAsked; ++i) {
    hosts.push_back((state.range(1) == 1 ? "a.b." : "") + host_of(i * state.range(0) / kAsked));
  }
  const std::string path = state.range(1) == 2 ? "/conditional/4711?full=1" : "/orders/4711?full=1";
  std::size_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(table.find(hosts[at], path, &head.fields));
    at = (at + 1) % hosts.size();
  }
}
BENCHMARK(route_among_rules)->ArgNames({"services", "asked"})->ArgsProduct({{10, 5000}, {0, 1, 2}});

class Caller final : public HeldRequest {
 protected:
  void on_settled() override {}
};

/// One warm request: picks a replica, receives its load report, releases it.
void enter_and_release(benchmark::State& state) {
  SeededRandom random(1);
  RevisionThrottler throttler(RevisionId("web"), random);
  RevisionView view;
  view.settings.container_concurrency = 10;
  view.settings.load_balancing = static_cast<config::LoadBalancing>(state.range(1));
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    view.ready.push_back({.name = PodName("web-" + std::to_string(10000 + i)), .address = {}});
  }
  throttler.update(view, kNow);
  TimePoint now = kNow;
  for (auto _ : state) {
    Caller caller;
    throttler.enqueue(caller, 1000, now);
    throttler.record_response(caller, {.in_flight = 1}, now);
    throttler.release(caller, PodOutcome::kResponded, now);
    now += std::chrono::microseconds(20);
  }
}
BENCHMARK(enter_and_release)
    ->ArgNames({"replicas", "policy"})
    ->ArgsProduct({{1, 10, 100},
                   {static_cast<std::int64_t>(config::LoadBalancing::kLeastLoaded),
                    static_cast<std::int64_t>(config::LoadBalancing::kRandomChoice2),
                    static_cast<std::int64_t>(config::LoadBalancing::kRoundRobin)}});

}  // namespace
}  // namespace bellows::activator
