// Settings that change while a queue-proxy runs: ordered by hand, and by an autoscaler that follows
// a cluster, over a real stream of stats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/service/autoscaler_service.hpp"
#include "base/sys/log.hpp"
#include "tests/integration/autoscaler/scripted_cluster.hpp"
#include "tests/integration/queue-proxy/service_world.hpp"
#include "tests/support/run_task.hpp"

namespace bellows::queue_proxy {
namespace {

using namespace std::chrono_literals;
using config::QueueProxySettings;
using config::SettingTexts;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

metrics::SettingsOrder order_of(SettingTexts settings, const std::string& pod = "web-1") {
  return {.revision = RevisionId("web"),
          .pod = PodName(pod),
          .generation = 3,
          .settings = std::move(settings)};
}

/// Callers hold a request each, of which the app has so many.
bool app_gets(ServiceWorld& world, std::vector<TestPeer>& callers, std::size_t requests) {
  const bool has = world.app_holds(requests);
  return has && world.until([&] {
    return world.asked("/metrics")
               .find("queue_proxy_queue_depth " + std::to_string(callers.size() - requests) +
                     "\n") != std::string::npos;
  });
}

TEST(ARunningQueueProxy, TakesALimitForTheNextRequests) {
  ServiceWorld world;
  std::vector<TestPeer> callers;
  for (int i = 0; i < 2; ++i) callers.push_back(world.caller());
  ASSERT_TRUE(app_gets(world, callers, 2)) << "without a limit";
  const auto answer = world.order(order_of({{"container-concurrency", "1"}}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->generation, 3U);
  EXPECT_THAT(answer->refused, IsEmpty());
  callers.push_back(world.caller());
  ASSERT_TRUE(app_gets(world, callers, 2)) << "the third waits";
  ASSERT_TRUE(world.app_answers());
  ASSERT_TRUE(world.app_answers());
  ASSERT_TRUE(world.app_answers()) << "when the others are done";
  EXPECT_THAT(world.asked("/metrics"), HasSubstr("bellows_queue_proxy_settings_changes_total 1\n"));
}

TEST(ARunningQueueProxy, HasItsOwnLimitAgainWhenTheOrderIsGone) {
  ServiceWorld world([](QueueProxySettings& settings) { settings.container_concurrency = 2; });
  ASSERT_TRUE(world.order(order_of({{"container-concurrency", "1"}})));
  std::vector<TestPeer> callers;
  for (int i = 0; i < 3; ++i) callers.push_back(world.caller());
  ASSERT_TRUE(app_gets(world, callers, 1));
  const auto answer = world.order(order_of({}));
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->own, ElementsAre(std::pair("container-concurrency", "2")));
  EXPECT_TRUE(app_gets(world, callers, 2)) << "the first that waited got the new slot at once";
}

TEST(ARunningQueueProxy, TakesTheAgeOfItsQueue) {
  ServiceWorld world([](QueueProxySettings& settings) {
    settings.container_concurrency = 1;
    settings.queue_age = 10s;
  });
  std::vector<TestPeer> callers;
  for (int i = 0; i < 2; ++i) callers.push_back(world.caller());
  ASSERT_TRUE(app_gets(world, callers, 1));
  ASSERT_TRUE(world.order(order_of({{"queue-age", "30s"}})));
  world.clock.advance(11s);
  world.asked("/metrics");
  world.clock.advance(10s);
  EXPECT_THAT(world.asked("/metrics"), HasSubstr("queue_proxy_queue_depth 1\n")) << "it was raised";
  world.clock.advance(10s);
  ASSERT_TRUE(world.until([&] {
    callers[1].listen();
    return !callers[1].received().empty();
  }));
  EXPECT_THAT(callers[1].received(), HasSubstr("30s (queue-age)"));
}

TEST(ARunningQueueProxy, TakesTimeLimitsAndProbesForTheNextRequests) {
  ServiceWorld world;
  ASSERT_TRUE(world.order(order_of({{"revision-timeout", "2s"},
                                    {"revision-response-start-timeout", "1s"},
                                    {"probe-paths", "/healthz"}})));
  TestPeer caller = world.caller();
  ASSERT_TRUE(world.app_holds(1));
  world.clock.advance(1100ms);
  ASSERT_TRUE(world.until([&] {
    caller.listen();
    return !caller.received().empty();
  }));
  EXPECT_THAT(caller.received(), HasSubstr("HTTP/1.1 504 "));
  ASSERT_TRUE(world.until([&] { return world.is_ready(); }));
  TestPeer prober = world.caller("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(world.until([&] {
    prober.listen();
    return !prober.received().empty();
  }));
  EXPECT_THAT(prober.received(), HasSubstr("HTTP/1.1 200 "));
}

TEST(ARunningQueueProxy, TakesNoOrderForAnotherReplica) {
  ServiceWorld world;
  EXPECT_FALSE(world.order(order_of({{"container-concurrency", "1"}}, "web-2")));
  metrics::SettingsOrder other = order_of({{"container-concurrency", "1"}});
  other.revision = RevisionId("shop");
  EXPECT_FALSE(world.order(other));
  EXPECT_THAT(world.asked("/metrics"), HasSubstr("bellows_queue_proxy_settings_changes_total 0\n"));
}

std::vector<std::string> warnings;

void keep_warning(std::string_view line) {
  if (line.find("is not in effect") != line.npos) warnings.emplace_back(line);
}

/// Each connection brings the last order again.
TEST(ARunningQueueProxy, WarnsOnceForEachChangeOfWhatItRefuses) {
  ServiceWorld world;
  warnings.clear();
  sys::log::set_sink(keep_warning);
  const auto warned_after = [&](SettingTexts settings) {
    EXPECT_TRUE(world.order(order_of(std::move(settings))));
    return warnings.size();
  };
  EXPECT_EQ(warned_after({{"drain-timeout", "1h"}}), 1U);
  EXPECT_EQ(warned_after({{"drain-timeout", "1h"}}), 1U) << "the same answer";
  EXPECT_EQ(warned_after({{"drain-timeout", "1h"}, {"app-protocol", "h2c"}}), 2U) << "one more";
  EXPECT_EQ(warned_after({}), 2U) << "all are in effect";
  EXPECT_EQ(warned_after({{"drain-timeout", "1h"}}), 3U) << "once more";
  sys::log::set_sink(nullptr);
}

/// An autoscaler that may be replaced, at the same port.
class Autoscaler {
 public:
  explicit Autoscaler(std::uint16_t port) : cluster(io), server_(io) {
    service_.add_routes(server_);
    const auto at = server_.listen({.host = "127.0.0.1", .port = port, .unix_path = {}});
    EXPECT_TRUE(at) << to_string(at.error());
    endpoint = *at;
    service_.start();
  }

  ~Autoscaler() {
    bellows::test::run_task<void>(io, [&]() -> http::Awaitable<void> {
      co_await server_.stop(sys::system_clock().now() + 100ms);
      co_await service_.stop(sys::system_clock().now() + 5s);
    });
  }
  Autoscaler(const Autoscaler&) = delete;
  Autoscaler& operator=(const Autoscaler&) = delete;

  /// The Revision lists two pods, and has these settings for them.
  void list(const SettingTexts& settings) {
    cluster::Revision web;
    web.id = RevisionId("web");
    web.requested = 2;
    web.proxy_settings = settings;
    for (const char* pod : {"web-1", "web-2"}) {
      cluster::Replica replica;
      replica.name = PodName(pod);
      replica.phase = cluster::ReplicaPhase::kReady;
      web.replicas.push_back(std::make_shared<const cluster::Replica>(replica));
    }
    cluster.set(web);
  }

  void work() { io.poll(); }

  /// The settings without effect of the newest report.
  std::vector<config::WithoutEffect> without_effect() {
    service_.tick();
    return cluster.reports().empty() ? std::vector<config::WithoutEffect>()
                                     : cluster.reports().back().second.without_effect;
  }

  http::net::io_context io;
  autoscaler::test::ScriptedCluster cluster;
  Endpoint endpoint;

 private:
  metrics::prometheus::Registry registry_{"test"};
  autoscaler::AutoscalerService service_{io, cluster, sys::system_clock(), registry_, {}};
  http::ServiceServer server_;
};

class TwoPods : public testing::Test {
 protected:
  static std::unique_ptr<ServiceWorld> pod(const std::string& name, const Endpoint& to) {
    return std::make_unique<ServiceWorld>(
        [&](QueueProxySettings& settings) {
          settings.pod = PodName(name);
          settings.autoscaler = {.endpoint = to, .path = autoscaler::kStatPath};
        },
        &sys::system_clock());
  }

  bool until(const std::function<bool()>& condition) {
    return first->until([&] {
      autoscaler->work();
      first->work();
      second->work();
      return condition();
    });
  }

  /// Both take one request at a time after that, or as many as come.
  bool has_limit(ServiceWorld& pod, bool is_limited) {
    std::vector<TestPeer> callers;
    for (int i = 0; i < 2; ++i) callers.push_back(pod.caller());
    const bool has = app_gets(pod, callers, is_limited ? 1 : 2);
    EXPECT_TRUE(pod.app_answers());
    EXPECT_TRUE(pod.app_answers());
    EXPECT_TRUE(pod.hears(callers[0], "ok") && pod.hears(callers[1], "ok"));
    return has;
  }

  bool changed(ServiceWorld& pod, int times) {
    return until([&] {
      return pod.asked("/metrics").find("settings_changes_total " + std::to_string(times) + "\n") !=
             std::string::npos;
    });
  }

  void replace_autoscaler(const SettingTexts& settings) {
    const std::uint16_t port = autoscaler->endpoint.port;
    autoscaler.reset();
    autoscaler = std::make_unique<Autoscaler>(port);
    autoscaler->list(settings);
  }

  std::unique_ptr<Autoscaler> autoscaler = std::make_unique<Autoscaler>(0);
  std::unique_ptr<ServiceWorld> first = pod("web-1", autoscaler->endpoint);
  std::unique_ptr<ServiceWorld> second = pod("web-2", autoscaler->endpoint);
};

TEST_F(TwoPods, FollowTheirRevisionWithoutARestart) {
  autoscaler->list({});
  EXPECT_TRUE(until([&] { return first->is_ready() && second->is_ready(); }));
  EXPECT_TRUE(has_limit(*first, false));
  autoscaler->list({{"container-concurrency", "1"}});
  EXPECT_TRUE(changed(*first, 1) && changed(*second, 1));
  EXPECT_TRUE(has_limit(*first, true) && has_limit(*second, true));
  autoscaler->list({});
  EXPECT_TRUE(changed(*first, 2) && changed(*second, 2));
  EXPECT_TRUE(has_limit(*first, false) && has_limit(*second, false));
}

TEST_F(TwoPods, KeepTheirSettingsWithoutAnAutoscalerAndFollowTheNextOne) {
  autoscaler->list({{"container-concurrency", "1"}});
  EXPECT_TRUE(changed(*first, 1) && changed(*second, 1));
  replace_autoscaler({{"container-concurrency", "1"}, {"queue-age", "5s"}});
  EXPECT_TRUE(has_limit(*first, true)) << "nothing was sent yet";
  EXPECT_TRUE(changed(*first, 2) && changed(*second, 2));
  EXPECT_TRUE(has_limit(*first, true) && has_limit(*second, true));
}

TEST_F(TwoPods, OneThatStartsAgainGetsThemToo) {
  autoscaler->list({{"container-concurrency", "1"}});
  EXPECT_TRUE(changed(*first, 1) && changed(*second, 1));
  second.reset();
  second = pod("web-2", autoscaler->endpoint);
  EXPECT_TRUE(changed(*second, 1));
  EXPECT_TRUE(has_limit(*second, true) && has_limit(*first, true));
}

TEST_F(TwoPods, ReportWhatTheyDoNotTake) {
  autoscaler->list({{"drain-timeout", "1h"}});
  ASSERT_TRUE(until([&] { return !autoscaler->without_effect().empty(); }));
  const auto told = autoscaler->without_effect();
  ASSERT_EQ(told.size(), 1U) << "once for both";
  EXPECT_EQ(told.front().setting, "drain-timeout");
  EXPECT_THAT(told.front().because, HasSubstr("terminationGracePeriodSeconds"));
  autoscaler->list({});
  EXPECT_TRUE(until([&] { return autoscaler->without_effect().empty(); }));
}

}  // namespace
}  // namespace bellows::queue_proxy
