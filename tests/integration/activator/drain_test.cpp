// The end of the program where callers learn late that it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <string>

#include "activator/program.hpp"
#include "config/websocket_url.hpp"
#include "tests/integration/activator/activator_world.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/run_until.hpp"

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::TestPeer;
using ::testing::HasSubstr;

config::ActivatorSettings settings() {
  config::ActivatorSettings made;
  made.listen = kAnyPort;
  made.admin = kAnyPort;
  // Nobody listens there; the activator works without its autoscaler.
  made.autoscaler = config::parse_websocket_url("ws://127.0.0.1:1").value();
  made.name = PodName("activator-1");
  made.drain_timeout = minutes(5);
  made.drain_quiet_time = seconds(5);
  return made;
}

/// "web" has one replica and a port of its own; the path includes the activator.
class QuietDrainTest : public testing::Test {
 protected:
  QuietDrainTest() {
    cluster::Revision web;
    web.id = RevisionId("web");
    web.replicas = {std::make_shared<const cluster::Replica>(replica_.listed())};
    web.path = {.state = cluster::PathState::kHeld,
                .activator_port = port_,
                .activators = {PodName("activator-1")},
                .problem = {}};
    cluster_.truth = {web};
    cluster_.publish();
    EXPECT_TRUE(program_.start());
  }
  ~QuietDrainTest() override {
    if (!has_begun_) begin();
    clock_.advance(minutes(6));
    ends();
    reactor_.stop();
    io_.poll();
  }

  void begin() {
    has_begun_ = true;
    http::net::co_spawn(io_, program_.drain_and_stop(),
                        [this](const std::exception_ptr&) { has_ended_ = true; });
    io_.poll();
  }
  /// It is done: what is left is to close connections.
  bool ends() {
    return until([&] {
      clock_.advance(milliseconds(100));
      reactor_.tick();
      return has_ended_;
    });
  }
  bool until(const std::function<bool()>& condition) { return test::run_until(io_, condition); }
  /// Time passes, and the drain looks whether it is done several times.
  void pass(Duration duration) {
    clock_.advance(duration);
    reactor_.tick();
    for (int looks = 0; looks < 3; ++looks) {
      bool has_slept = false;
      http::net::co_spawn(io_, http::sleep_for(milliseconds(6)),
                          [&](const std::exception_ptr&, bool /*may_go_on*/) { has_slept = true; });
      until([&] { return has_slept; });
    }
  }
  void leave_path() {
    cluster_.truth[0].path.state = cluster::PathState::kDirect;
    cluster_.publish();
  }
  std::string answer(TestPeer& peer) {
    until([&] {
      peer.listen();
      return peer.has_ended() || peer.received().find("web-1 /a") != std::string::npos;
    });
    return peer.take_received();
  }
  TestPeer request() {
    TestPeer peer = TestPeer::connect_to(port_);
    EXPECT_TRUE(peer.say(kGet));
    return peer;
  }

  http::net::io_context io_;
  test::ManualClock clock_;
  SeededRandom random_{1};
  http::Reactor reactor_{io_, clock_};
  Replica replica_{reactor_, "web-1"};
  ListedCluster cluster_;
  const test::TestListener kept_{test::loopback(0), test::TestListener::kNotYet};
  const std::uint16_t port_ = kept_.port();
  Program program_{io_, cluster_, clock_, random_, settings()};
  bool has_begun_ = false;
  bool has_ended_ = false;
};

TEST_F(QuietDrainTest, ServesUntilTheQuietTimeAfterItsLastPath) {
  TestPeer kept = request();
  EXPECT_THAT(answer(kept), HasSubstr("200 OK"));
  begin();
  pass(minutes(1));
  EXPECT_FALSE(has_ended_) << "the path sends callers here";
  TestPeer fresh = request();
  EXPECT_THAT(answer(fresh), HasSubstr("Connection: close"));
  leave_path();
  pass(seconds(4));
  EXPECT_FALSE(has_ended_);
  ASSERT_TRUE(kept.say(kGet));
  EXPECT_THAT(answer(kept), HasSubstr("Connection: close")) << "it was idle, and was not cut";
  pass(seconds(4));
  EXPECT_FALSE(has_ended_) << "a request came meanwhile";
  pass(seconds(2));
  EXPECT_TRUE(ends());
}

TEST_F(QuietDrainTest, EndsAtItsTimeoutWhereThePathGoesOnIncludingIt) {
  begin();
  pass(minutes(4));
  EXPECT_FALSE(has_ended_);
  pass(minutes(1) + seconds(1));
  EXPECT_TRUE(ends());
}

TEST_F(QuietDrainTest, LetsARequestFinishThatTakesLongerThanTheQuietTime) {
  replica_.hold();
  TestPeer caller = request();
  EXPECT_TRUE(until([&] { return replica_.running == 1; }));
  begin();
  leave_path();
  pass(seconds(60));
  EXPECT_FALSE(has_ended_);
  replica_.release();
  EXPECT_THAT(answer(caller), HasSubstr("200 OK"));
  EXPECT_TRUE(ends());
}

}  // namespace
}  // namespace bellows::activator
