// Webhooks: what they are asked, and what becomes of their failures. The test is the webhook.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "autoscaler/explain/catalogue.hpp"
#include "base/sys/clock.hpp"
#include "tests/integration/autoscaler/autoscaler_world.hpp"
#include "tests/support/test_peer.hpp"

namespace bellows::autoscaler {
namespace {

using bellows::test::TestListener;
using bellows::test::TestPeer;
using test::AutoscalerWorld;
using testing::HasSubstr;

/// How long an answer takes follows the system's clock; periods and ages follow the test's.
class WebhookWorld : public AutoscalerWorld {
 public:
  explicit WebhookWorld(const std::string& timeout = "30s") {
    config::RevisionSettings settings = ten_per_replica();
    settings.policy = "webhook";
    settings.autoscaling = R"({"webhook":{"url":"http://127.0.0.1:)" + std::to_string(hook.port()) +
                           R"(/scale","timeout":")" + timeout +
                           R"(","period":"10s","hold":"30s"}})";
    deploy(2, settings);
  }

  bool until(const std::function<bool()>& condition) {
    const TimePoint give_up = sys::system_clock().now() + std::chrono::minutes(1);
    while (!condition()) {
      if (sys::system_clock().now() > give_up) return false;
      io.restart();
      if (io.poll() == 0) io.run_one_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  /// Waits for the next question, which is returned. The connection stays open.
  std::string question() {
    EXPECT_TRUE(until([&] {
      if (!peer.is_open() || peer.has_ended()) peer = hook.accept();
      if (!peer.is_open()) return false;
      peer.listen();
      return peer.received().ends_with("}");
    }));
    return peer.take_received();
  }

  /// Answers the question, and lets the autoscaler decide.
  void answer(const std::string& response) {
    EXPECT_TRUE(peer.say(response));
    EXPECT_TRUE(until([&] {
      peer.listen();
      return peer.has_ended();
    }));
    peer.close();
  }

  static std::string ok(const std::string& body) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  /// Two seconds later: a decision.
  Decision decision() {
    pass(std::chrono::seconds(2));
    return last();
  }
  /// The reason of the next decision for which it says `text`.
  std::string reason_with(const std::string& text) {
    std::string reason;
    EXPECT_TRUE(until([&] {
      reason = explain::reason_text(decision());
      return reason.find(text) != std::string::npos;
    })) << reason;
    return reason;
  }

  TestListener hook;
  TestPeer peer;
};

TEST(WebhookPolicy, IsAskedWithTheStateAndObeyed) {
  WebhookWorld world;
  world.pass(std::chrono::seconds(2));
  const std::string question = world.question();
  EXPECT_TRUE(question.starts_with("POST /scale HTTP/1.1\r\n")) << question;
  EXPECT_THAT(question, HasSubstr(R"("service":"web","revision":"web","replicas":2)"));
  world.answer(WebhookWorld::ok(R"({"replicas":5})"));
  EXPECT_EQ(world.decision().replicas, 5);
  EXPECT_THAT(explain::reason_text(world.last()), HasSubstr("/scale answered 5, "));
}

TEST(WebhookPolicy, ADecisionDoesNotWaitForASlowOne) {
  WebhookWorld world;
  world.pass(std::chrono::seconds(2));
  world.question();
  const Decision decision = world.decision();
  EXPECT_EQ(decision.replicas, 2) << "the number stays";
  EXPECT_FALSE(decision.is_valid);
  EXPECT_THAT(explain::reason_text(decision), HasSubstr("was not asked yet"));
  world.peer.reset();
}

TEST(WebhookPolicy, ItsTimeIsBounded) {
  WebhookWorld world("20ms");
  world.pass(std::chrono::seconds(2));
  world.question();
  EXPECT_THAT(world.reason_with("has not answered"), HasSubstr("20ms"));
}

TEST(WebhookPolicy, ADeadOneIsAReasonAndNoStop) {
  WebhookWorld world;
  world.hook.close();
  EXPECT_THAT(world.reason_with("has not answered"), HasSubstr("refused"));
  EXPECT_EQ(world.last().replicas, 2);
}

TEST(WebhookPolicy, BadAnswersAreNamed) {
  struct Bad {
    std::string response;
    std::string reason;
  };
  const std::string huge(70'000, ' ');
  for (const Bad& bad : {Bad{WebhookWorld::ok("no"), "answer"},
                         Bad{WebhookWorld::ok(R"({"replicas":-1})"), "replicas: -1"},
                         Bad{WebhookWorld::ok(R"({"replicas":2.5})"), "replicas: 2.5"},
                         Bad{WebhookWorld::ok(R"({"want":3})"), "replicas: missing"},
                         Bad{WebhookWorld::ok("\xff\x1b[2J"), R"(\xff\x1b[2J)"},
                         Bad{WebhookWorld::ok(huge), "over the limit of 65536 bytes"},
                         Bad{"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", "status 500"},
                         Bad{"nonsense\r\n\r\n", "has not answered"}}) {
    WebhookWorld world;
    world.pass(std::chrono::seconds(2));
    world.question();
    EXPECT_TRUE(world.peer.say_some(bad.response) > 0);
    EXPECT_THAT(world.reason_with("has not answered"), HasSubstr(bad.reason));
    EXPECT_EQ(world.last().replicas, 2);
  }
}

TEST(WebhookPolicy, TheLastAnswerHoldsForItsTimeAndThenTheNumberStays) {
  WebhookWorld world;
  world.pass(std::chrono::seconds(2));
  world.question();
  world.answer(WebhookWorld::ok(R"({"replicas":5})"));
  ASSERT_EQ(world.decision().replicas, 5);
  world.serve(5);
  world.hook.close();
  const std::string failed = world.reason_with("since then");
  EXPECT_THAT(failed, HasSubstr("answered 5"));
  EXPECT_TRUE(world.last().is_valid);
  EXPECT_EQ(world.last().replicas, 5);
  const std::string late = world.reason_with("which holds only 30s");
  EXPECT_FALSE(world.last().is_valid);
  EXPECT_EQ(world.last().replicas, 5);
}

TEST(WebhookPolicy, IsAskedOncePerPeriodAndOneRequestAtATime) {
  WebhookWorld world;
  world.pass(std::chrono::seconds(2));
  world.question();
  for (int i = 0; i < 20; ++i) world.pass(std::chrono::seconds(2));
  EXPECT_FALSE(world.hook.accept().is_open()) << "the first request is under way";
  world.answer(WebhookWorld::ok(R"({"replicas":3})"));
  world.pass(std::chrono::seconds(2));
  world.question();
  world.answer(WebhookWorld::ok(R"({"replicas":3})"));
  for (int i = 0; i < 4; ++i) world.pass(std::chrono::seconds(2));
  EXPECT_FALSE(world.hook.accept().is_open()) << "8 s later";
}

}  // namespace
}  // namespace bellows::autoscaler
