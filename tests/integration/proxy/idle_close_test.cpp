// An app closes idle connections when it likes: no request is lost by that, and none runs twice.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::TestPeer;

const std::string kPromise =
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nKeep-Alive: timeout=4\r\n\r\nok";

/// A caller whose requests go to the same app, and the app's latest connection.
class OneAfterTheOther {
 public:
  explicit OneAfterTheOther(Peer upstream = Peer::kOutside) {
    world.handler.options.upstream = upstream;
  }

  /// One exchange. True: it went over a new connection.
  bool opens_one_for(const std::string& request, const std::string& response = kOk) {
    const int before = world.sockets.connects;
    EXPECT_TRUE(caller.say(request));
    EXPECT_TRUE(world.until([&] { return arrived(); })) << request;
    EXPECT_EQ(app.take_received(), request);
    EXPECT_TRUE(app.say(response));
    EXPECT_TRUE(world.hears(caller, kOk));
    caller.take_received();
    return world.sockets.connects > before;
  }

  /// The app closes it.
  void close() {
    const std::size_t before = world.handler.pool.open();
    app.close();
    EXPECT_TRUE(world.until([&] { return world.handler.pool.open() < before; }));
  }

  ProxyWorld world;
  TestPeer caller = world.caller();
  TestPeer app;

 private:
  bool arrived() {
    if (TestPeer fresh = world.app.accept(); fresh.is_open()) {
      older_.push_back(std::move(app));
      app = std::move(fresh);
    }
    app.listen();
    return !app.received().empty();
  }

  std::vector<TestPeer> older_;
};

TEST(IdleConnection, OfAnAppOfWhichNothingIsKnownTakesAPostOnlyAtOnce) {
  OneAfterTheOther run;
  EXPECT_TRUE(run.opens_one_for(kPost));
  run.world.pass(milliseconds(90));
  EXPECT_FALSE(run.opens_one_for(kPost));
  run.world.pass(milliseconds(110));
  EXPECT_FALSE(run.opens_one_for(kGet)) << "can be sent again";
  run.world.pass(milliseconds(110));
  EXPECT_TRUE(run.opens_one_for(kPost));
}

TEST(IdleConnection, TakesAPostForHalfOfTheTimeThatTheAppPromises) {
  OneAfterTheOther run;
  EXPECT_TRUE(run.opens_one_for(kPost, kPromise));
  run.world.pass(milliseconds(1900));
  EXPECT_FALSE(run.opens_one_for(kPost));
  run.world.pass(milliseconds(2100));
  EXPECT_TRUE(run.opens_one_for(kPost));
}

TEST(IdleConnection, TakesAPostForHalfOfTheTimeAfterWhichTheAppClosedOne) {
  OneAfterTheOther run;
  run.opens_one_for(kPost);
  run.world.pass(seconds(2));
  run.close();
  run.opens_one_for(kPost);
  run.world.pass(milliseconds(900));
  EXPECT_FALSE(run.opens_one_for(kPost));
  run.world.pass(milliseconds(1100));
  EXPECT_TRUE(run.opens_one_for(kPost));
}

TEST(IdleConnection, ThatIsTooOldIsReplacedSoThatThePoolDoesNotGrow) {
  OneAfterTheOther run;
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(run.opens_one_for(kPost));
    run.world.pass(milliseconds(500));
  }
  EXPECT_EQ(run.world.handler.pool.open(), 2U) << "the first one stays, to see when it ends";
}

TEST(IdleConnection, IsTooOldForAPutIfTheBodyIsNotWhole) {
  const std::string head = "PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n";
  OneAfterTheOther run;
  run.opens_one_for(kGet);
  run.world.pass(milliseconds(500));
  EXPECT_FALSE(run.opens_one_for(head + "hello"));
  run.world.pass(milliseconds(500));
  ASSERT_TRUE(run.caller.say(head));
  ASSERT_TRUE(run.world.until([&] { return run.world.sockets.connects == 2; }));
}

TEST(IdleConnection, OfAnotherHopTakesAPostAtAnyAge) {
  OneAfterTheOther run(Peer::kInside);
  run.opens_one_for(kPost);
  run.world.pass(seconds(50));
  EXPECT_FALSE(run.opens_one_for(kPost));
}

// The app's end and the request cross on their way: whatever was not acknowledged with the end was
// not there when the app closed.
TEST(IdleConnection, ThatIsClosedBeforeAPostArrivesLosesNothing) {
  OneAfterTheOther run;
  run.opens_one_for(kPost, kPromise);
  ASSERT_TRUE(run.caller.say(kPost));
  run.world.sockets.before_send = [&] { run.app.close(); };
  ASSERT_TRUE(run.world.until([&] { return run.world.sockets.connects == 2; }));
  run.world.sockets.before_send = nullptr;
  TestPeer again = run.world.accept();
  ASSERT_TRUE(run.world.hears(again, kPost));
  ASSERT_TRUE(again.say(kOk));
  EXPECT_TRUE(run.world.hears(run.caller, kOk));
  EXPECT_EQ(run.world.outcomes.back().retries.runs(), 0);
}

// It may have done what the request asks for.
TEST(IdleConnection, OfAnAppThatReadAPostAndThenClosedDoesNotSendItAgain) {
  using End = std::function<void(TestPeer&)>;
  for (const End& end :
       {End([](TestPeer& app) { app.close(); }), End([](TestPeer& app) { app.reset(); }),
        End([](TestPeer& app) { app.finish(); })}) {
    OneAfterTheOther run;
    run.opens_one_for(kPost, kPromise);
    ASSERT_TRUE(run.caller.say(kPost));
    ASSERT_TRUE(run.world.hears(run.app, kPost));
    end(run.app);
    ASSERT_TRUE(run.world.until([&] { return !run.world.handler.errors.empty(); }));
    EXPECT_FALSE(run.world.handler.errors.at(0).may_retry());
    EXPECT_EQ(run.world.sockets.connects, 1);
  }
}

// It read the head, and ended before it read the body: a reset, and nobody knows what it did.
TEST(IdleConnection, OfAnAppThatIsResetWithAPostUnreadDoesNotSendItAgain) {
  OneAfterTheOther run;
  run.opens_one_for(kPost, kPromise);
  ASSERT_TRUE(run.caller.say(kPost));
  const int before = run.world.sockets.sends;
  ASSERT_TRUE(run.world.until([&] { return run.world.sockets.sends > before; }));
  run.app.close();
  ASSERT_TRUE(run.world.until([&] { return !run.world.handler.errors.empty(); }));
  EXPECT_FALSE(run.world.handler.errors.at(0).may_retry());
}

}  // namespace
}  // namespace bellows::proxy
