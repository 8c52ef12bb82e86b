// Every kind of exchange, with each call failing and each byte being the last: it ends
// with a correct result and leaks no slot, no memory and no descriptor.
#include <gtest/gtest.h>

#include "tests/integration/proxy/leaves_nothing.hpp"

namespace bellows::proxy {
namespace {

using test::TestPeer;

/// One exchange if nothing fails.
struct Story {
  const char* what;
  std::string request;
  std::string answer;  ///< what the app says
  std::string hears;   ///< what the caller gets of it
  bool app_closes = false;
};

const std::string kHead = "HTTP/1.1 200 OK\r\n";
const std::string kChunked = kHead + "Transfer-Encoding: chunked\r\n\r\n";
const std::string kChunks = "3;x=1\r\nabc\r\n1\r\nd\r\n0\r\nX-Sum: 1\r\n\r\n";

const std::string kForwardedChunks = "3\r\nabc\r\n1\r\nd\r\n0\r\nX-Sum: 1\r\n\r\n";

const std::vector<Story>& stories() {
  static const std::vector<Story> all = {
      {"a length", kGet, kOk, kOk},
      {"chunks and a trailer", kGet, kChunked + kChunks, kChunked + kForwardedChunks},
      {"chunks for HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\n\r\n", kChunked + kChunks,
       kHead + "Connection: close\r\n\r\nabcd"},
      {"hints in front", kGet, "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + kOk,
       "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + kOk},
      {"a folded head", kGet, kHead + "X : 1\r\n 2\r\nContent-Length: 2\r\n\r\nok",
       kHead + "X:  1   2\r\nContent-Length: 2\r\n\r\nok"},
      {"an upload in chunks",
       "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", kOk,
       kOk},
      {"until the connection's end", kGet, kHead + "\r\nall", kChunked + "3\r\nall\r\n0\r\n\r\n",
       true},
      {"until the connection's end for HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\n\r\n",
       kHead + "\r\nall", kHead + "Connection: close\r\n\r\nall", true},
      {"a tunnel", "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
       "HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\nfirst",
       "HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\nfirst", true},
  };
  return all;
}

/// Both ends follow the story as far as they can.
void play(ProxyWorld& world, const Story& story) {
  TestPeer caller = world.caller();
  caller.say(story.request);
  std::vector<TestPeer> apps;
  EXPECT_TRUE(world.until([&] {
    caller.listen();
    if (TestPeer app = world.app.accept(); app.is_open()) apps.push_back(std::move(app));
    for (TestPeer& app : apps) {
      app.listen();
      if (!app.received().ends_with("\r\n\r\n")) continue;
      app.take_received();
      app.say(story.answer);
      if (story.app_closes) app.finish();
    }
    const ProxyCounters& counters = world.server.counters();
    return caller.has_ended() || (counters.requests == 1 && counters.in_flight == 0);
  }));
  world.until([&] {
    caller.listen();
    return caller.has_ended() || world.outcomes.empty() || !world.outcomes[0].aborted_by;
  });
  const std::string received = ProxyWorld::without_date(caller.received());
  if (!world.sockets.fails_any()) {
    EXPECT_EQ(received, story.hears);
    return;
  }
  const bool has_begun = received.find(story.hears.substr(0, 12)) != std::string::npos;
  if (has_begun && !caller.was_reset() && received.find("HTTP/1.1 5") == std::string::npos) {
    EXPECT_EQ(received, story.hears) << "what is not whole must not look whole";
  }
}

class EveryCall : public LeavesNothing {
 protected:
  static void fail_each(int FaultySockets::*calls, int FaultySockets::*fault) {
    LeavesNothing::fail_each(calls, fault, stories(), play);
  }
};

TEST_F(EveryCall, ReadsOfEveryKindOfExchange) {
  fail_each(&FaultySockets::receives, &FaultySockets::fail_receive);
}

TEST_F(EveryCall, WritesOfEveryKindOfExchange) {
  fail_each(&FaultySockets::sends, &FaultySockets::fail_send);
}

TEST_F(EveryCall, ConnectsOfEveryKindOfExchange) {
  fail_each(&FaultySockets::connects, &FaultySockets::fail_connect);
}

TEST_F(EveryCall, AcceptsOfClosedConnections) {
  fail_each(&FaultySockets::accepts, &FaultySockets::fail_accept);
}

TEST_F(EveryCall, ThatFailedSentNothing) {
  ProxyWorld world;
  world.sockets.fail_send = 1;  // of the answer, behind that of the request
  play(world, stories().front());
  EXPECT_TRUE(world.outcomes.at(0).aborted_by);
  EXPECT_EQ(world.outcomes.at(0).response_bytes, 0U) << "two were read of the app";
}

class Accept : public LeavesNothing {
 protected:
  void SetUp() override {
    sys::log::set_sink([](std::string_view) { ++warnings_; });
    sys::log::warning("the log keeps a descriptor from its first line on");
    LeavesNothing::SetUp();
  }
  void TearDown() override {
    sys::log::set_sink(nullptr);
    LeavesNothing::TearDown();
  }
  static void expect_served(ProxyWorld& world, TestPeer& caller) {
    ASSERT_TRUE(caller.say(kGet));
    TestPeer app = world.accept();
    ASSERT_TRUE(world.hears(app, kGet));
    ASSERT_TRUE(app.say(kOk));
    EXPECT_TRUE(world.hears(caller, kOk));
  }

  static inline int warnings_ = 0;
};

TEST_F(Accept, WithoutDescriptorsIsRetriedAfterAPause) {
  for (const int error : {EMFILE, ENFILE, ENOBUFS, ENOMEM}) {
    SCOPED_TRACE(error);
    warnings_ = 0;
    ProxyWorld world;
    world.sockets.accept_error = error;
    world.sockets.failing_accepts = 1000;
    TestPeer first = world.caller();
    ASSERT_TRUE(world.until([&] { return world.server.accept_failures() == 1; }));
    std::vector<TestPeer> later;
    for (int i = 0; i < 10; ++i) {
      later.push_back(world.caller());
      world.io.poll();
    }
    EXPECT_EQ(world.server.accept_failures(), 1U);
    world.pass(std::chrono::milliseconds(150));
    EXPECT_EQ(world.server.accept_failures(), 2U);
    world.sockets.failing_accepts = 0;
    world.pass(std::chrono::milliseconds(150));
    ASSERT_TRUE(world.until([&] { return world.server.counters().connections == 11; }));
    EXPECT_EQ(world.server.accept_failures(), 2U);
    EXPECT_EQ(warnings_, 1);
    expect_served(world, first);
    expect_served(world, later.back());
  }
}

TEST_F(Accept, OfAClosedConnectionDoesNotDelayOthers) {
  ProxyWorld world;
  world.sockets.failing_accepts = 3;
  TestPeer caller = world.caller();
  expect_served(world, caller);
  EXPECT_EQ(world.server.accept_failures(), 0U);
}

TEST_F(Accept, OfAConnectionThatCannotBePolledClosesOnlyThatOne) {
  ProxyWorld world;
  world.sockets.unwatchable_accepts = 1;  // as with ENOSPC: the user's epoll watches are used up
  TestPeer unlucky = world.caller();
  EXPECT_TRUE(world.hears_end(unlucky));
  TestPeer next = world.caller();
  expect_served(world, next);
  next.close();
  expect_at_rest(world);
}

class EveryByte : public LeavesNothing {};

/// The app sends the first `cut` bytes of its response and closes or resets.
void cut_answer(const Story& story, std::size_t cut, bool by_reset) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(story.request));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.until([&] {
    app.listen();
    return app.received().ends_with("\r\n\r\n");
  }));
  ASSERT_TRUE(cut == 0 || app.say(story.answer.substr(0, cut)));
  if (by_reset) {
    app.reset();
  } else {
    app.close();
  }
  const auto has_answer = [&] {
    return caller.received().find("HTTP/1.1 502 ") != std::string::npos;
  };
  ASSERT_TRUE(world.until([&] {
    caller.listen();
    return caller.has_ended() || has_answer();
  }));
  EXPECT_TRUE(caller.was_reset() || has_answer()) << caller.received();
  EXPECT_TRUE(world.is_at_rest());
}

TEST_F(EveryByte, OfAResponseIsTheLastAndItDoesNotLookComplete) {
  for (const Story& story : stories()) {
    SCOPED_TRACE(story.what);
    // A body that ends with its connection may end anywhere after its head.
    const std::size_t whole =
        story.app_closes ? story.answer.find("\r\n\r\n") + 4 : story.answer.size();
    for (std::size_t cut = 0; cut < whole; ++cut) {
      SCOPED_TRACE(cut);
      cut_answer(story, cut, false);
      cut_answer(story, cut, true);
    }
  }
}

TEST_F(EveryByte, OfARequestIsTheLastAndItsAppSeesTheEnd) {
  for (const Story& story : stories()) {
    SCOPED_TRACE(story.what);
    for (std::size_t cut = 0; cut <= story.request.size(); ++cut) {
      SCOPED_TRACE(cut);
      ProxyWorld world;
      TestPeer caller = world.caller();
      ASSERT_TRUE(cut == 0 || caller.say(story.request.substr(0, cut)));
      ASSERT_TRUE(world.until([&] { return world.server.counters().connections == 1; }));
      world.io.poll();
      caller.reset();
      expect_at_rest(world);
      TestPeer app = world.app.accept();
      if (app.is_open()) {
        EXPECT_TRUE(world.hears_end(app));
      }
    }
  }
}

TEST_F(EveryByte, OfATunnelMayBeTheLastOfEitherSide) {
  const Story& tunnel = stories().back();
  for (const bool caller_leaves : {true, false}) {
    ProxyWorld world;
    TestPeer caller = world.caller();
    ASSERT_TRUE(caller.say(tunnel.request));
    TestPeer app = world.accept();
    ASSERT_TRUE(world.hears(app, tunnel.request));
    ASSERT_TRUE(app.say(tunnel.answer));
    ASSERT_TRUE(world.hears(caller, tunnel.answer));
    (caller_leaves ? caller : app).reset();
    TestPeer& other = caller_leaves ? app : caller;
    ASSERT_TRUE(world.hears_end(other));
    EXPECT_TRUE(other.was_reset()) << "what was cut on one side is cut on the other";
    expect_at_rest(world);
  }
}

class Line : public LeavesNothing {};

TEST_F(Line, AllWaitingCallersLeaveInTheWorstOrder) {
  ProxyWorld world({.slots = 1, .queue = {.count = 50}});
  TestPeer first = world.caller();
  ASSERT_TRUE(first.say(kGet));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, kGet));
  std::vector<TestPeer> waiting;
  for (int i = 0; i < 40; ++i) {
    waiting.push_back(world.caller());
    ASSERT_TRUE(waiting.back().say(kGet));
  }
  Breaker& breaker = world.handler.limiter.breaker();
  ASSERT_TRUE(world.until([&] { return breaker.waiting() == 40; }));
  // The slot becomes free in the same turn in which the waiting callers leave.
  for (std::size_t i = 0; i < waiting.size(); i += 2) waiting[i].reset();
  ASSERT_TRUE(app.say(kOk));
  for (std::size_t i = 1; i < waiting.size(); i += 2) waiting[i].close();
  first.close();
  expect_at_rest(world);
  EXPECT_EQ(breaker.running(), 0);
}

}  // namespace
}  // namespace bellows::proxy
