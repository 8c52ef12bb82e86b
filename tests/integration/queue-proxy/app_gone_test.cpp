// Requests of a replica whose app was ready and does not listen any more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/queue-proxy/service_world.hpp"

namespace bellows::queue_proxy {
namespace {

using namespace std::chrono_literals;
using config::QueueProxySettings;
using testing::HasSubstr;

/// A queue-proxy whose app has ended after it was ready, and a caller that asks then.
class QueueProxyWhoseAppIsGone : public testing::Test {
 protected:
  QueueProxyWhoseAppIsGone() {
    EXPECT_TRUE(world_.is_told(R"({"event":"ready"})"));
    world_.app.close();
    caller_ = world_.caller();
    EXPECT_TRUE(world_.is_told(R"({"event":"unready","reason":"the app refused a connection"})"));
  }
  bool caller_hears(const std::string& text) {
    return world_.until([&] {
      caller_.listen();
      return caller_.received().find(text) != std::string::npos;
    });
  }

  ServiceWorld world_{[](QueueProxySettings& settings) {
    settings.pod = PodName();
    settings.queue_age = 2s;
    settings.activator_port = 0;
  }};
  const std::uint16_t port_ = world_.app.port();
  TestPeer caller_;
};

TEST_F(QueueProxyWhoseAppIsGone, IsNotReady) {
  EXPECT_THAT(world_.asked("/metrics"), HasSubstr("bellows_queue_proxy_ready 0\n"));
}

TEST_F(QueueProxyWhoseAppIsGone, NamesTheAppAfterQueueAge) {
  caller_.listen();
  EXPECT_EQ(caller_.received(), "");
  world_.clock.advance(2100ms);
  EXPECT_TRUE(caller_hears("\r\n\r\nreplica: 127.0.0.1:" + std::to_string(port_)));
  EXPECT_THAT(caller_.received(), testing::StartsWith("HTTP/1.1 502 "));
}

TEST_F(QueueProxyWhoseAppIsGone, AnswersAnActivatorAtOnceBecauseItHasOtherReplicas) {
  TestPeer activator = world_.activator();
  EXPECT_TRUE(world_.until([&] { return activator.listen(), !activator.received().empty(); }));
  EXPECT_THAT(activator.received(), testing::StartsWith("HTTP/1.1 502 "));
  EXPECT_THAT(activator.received(), HasSubstr("X-Bellows-Retry: elsewhere\r\n"));
}

TEST_F(QueueProxyWhoseAppIsGone, ForgetsACallerThatLeaves) {
  caller_.close();
  EXPECT_TRUE(world_.until([&] {
    return world_.asked("/metrics").find("queue_proxy_in_flight 0\n") != std::string::npos;
  }));
}

TEST_F(QueueProxyWhoseAppIsGone, DoesNotHoldItsCallersWhileItDrains) {
  world_.drain();
  EXPECT_TRUE(caller_hears("HTTP/1.1 502 "));
}

TEST(QueueProxyWhoseAppStarts, HoldsTheRequestUntilTheAppListens) {
  test::TestListener app(test::loopback(0), test::TestListener::kNotYet);
  ServiceWorld world([&](QueueProxySettings& settings) { settings.user_port = app.port(); });
  TestPeer caller = world.caller();
  ASSERT_TRUE(world.until([&] {
    return world.asked("/metrics").find("queue_proxy_in_flight 1\n") != std::string::npos;
  }));
  EXPECT_EQ(world.told_line(), "");
  app.listen();
  ASSERT_TRUE(world.until([&] {
    if (TestPeer peer = app.accept(); peer.is_open()) world.app_peers.push_back(std::move(peer));
    return world.held_by_app() == 1;
  }));
  ASSERT_TRUE(world.app_answers());
  EXPECT_TRUE(world.hears(caller, "ok"));
}

}  // namespace
}  // namespace bellows::queue_proxy
