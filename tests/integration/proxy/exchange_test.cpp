// What is relayed: whole messages, compared byte by byte.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using test::TestPeer;

TEST(Exchange, RequestAndResponseAreRelayedUnchanged) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  TestPeer app = world.accept();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(world.hears(app, kGet));
    ASSERT_TRUE(app.say(kOk));
    ASSERT_TRUE(world.hears(caller, kOk));
    caller.take_received();
    app.take_received();
    ASSERT_TRUE(caller.say(kGet));
  }
  EXPECT_EQ(world.server.counters().by_class[2], 3U);
  EXPECT_EQ(world.sockets.connects, 1);
}

TEST(Exchange, PipelinedRequestsGetTheirResponsesInOrder) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kPost + kGet + kPost));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, kPost));
  ASSERT_TRUE(app.say(kOk));
  ASSERT_TRUE(world.hears(app, kPost + kGet));
  ASSERT_TRUE(app.say(kOk));
  ASSERT_TRUE(world.hears(app, kPost + kGet + kPost));
  ASSERT_TRUE(app.say(kOk));
  EXPECT_TRUE(world.hears(caller, kOk + kOk + kOk));
}

TEST(Exchange, AFloodOfRequestsWithLocalRepliesYieldsToOthers) {
  const std::string last_hop = "OPTIONS * HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n";
  ProxyWorld world;
  std::vector<std::string> order;
  world.server.set_observer(
      [&](const Exchange& exchange, const Outcome&) { order.emplace_back(exchange.peer()); });
  TestPeer flood = world.caller();
  TestPeer other = world.caller();
  ASSERT_TRUE(world.until([&] { return world.server.counters().open_connections == 2; }));
  std::string all;
  for (int i = 0; i < 5000; ++i) all += last_hop;
  ASSERT_GT(flood.say_some(all), all.size() / 2);
  ASSERT_TRUE(other.say(last_hop));
  ASSERT_TRUE(world.until([&] {
    other.listen();
    return !other.received().empty();
  }));
  const auto turn = std::adjacent_find(order.begin(), order.end(), std::not_equal_to<>());
  ASSERT_NE(turn, order.end());
  EXPECT_LT(turn - order.begin(), 100) << "the other one waits for the flood's end";
}

TEST(Exchange, ChunkedBothWaysWithTrailersByteByByte) {
  ProxyWorld world;
  const std::string request =
      "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n0\r\nX-Sum: 9\r\n\r\n";
  const std::string answer =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n"
      "3\r\nabc\r\n0\r\nX-T: 1\r\n\r\n";
  TestPeer caller = world.caller();
  for (const char c : request) {
    ASSERT_TRUE(caller.say({&c, 1}));
    world.io.poll();
  }
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, request));
  for (const char c : answer) {
    ASSERT_TRUE(app.say({&c, 1}));
    world.io.poll();
  }
  // Whether the connection is kept was decided after the request had ended.
  ASSERT_TRUE(world.hears(caller, answer));
  ASSERT_TRUE(caller.say(kGet));
  EXPECT_TRUE(world.hears(app, request + kGet)) << "both connections are kept";
}

TEST(Exchange, ContinueIsRelayedAndTheBodyFollows) {
  ProxyWorld world;
  const std::string head =
      "POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";
  const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(head));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, head));
  ASSERT_TRUE(app.say(go_on));
  ASSERT_TRUE(world.hears(caller, go_on));
  ASSERT_TRUE(caller.say("hello"));
  ASSERT_TRUE(world.hears(app, head + "hello"));
  ASSERT_TRUE(app.say(kOk));
  EXPECT_TRUE(world.hears(caller, go_on + kOk));
}

TEST(Exchange, EarlyHintsAreRelayedButAnUnrequestedContinueIsNot) {
  ProxyWorld world;
  const std::string hints = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, kGet));
  ASSERT_TRUE(app.say("HTTP/1.1 100 Continue\r\n\r\n" + hints + kOk));
  EXPECT_TRUE(world.hears(caller, hints + kOk));
}

TEST(Exchange, ResponsesWithoutBodyKeepTheConnectionInSync) {
  ProxyWorld world;
  const std::string head = "HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string sized = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";
  const std::string empty = "HTTP/1.1 204 No Content\r\n\r\n";
  const std::string same = "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n";
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(head + kGet + kGet + kGet));
  TestPeer app = world.accept();
  std::string received;
  std::string answered;
  for (const auto& [request, answer] : {std::pair(head, sized), std::pair(kGet, empty),
                                        std::pair(kGet, same), std::pair(kGet, kOk)}) {
    ASSERT_TRUE(world.hears(app, received += request));
    ASSERT_TRUE(app.say(answer));
    ASSERT_TRUE(world.hears(caller, answered += answer));
  }
}

TEST(Exchange, AnUpgradeBecomesATunnelAndCountsAsInFlightToItsEnd) {
  ProxyWorld world;
  const std::string ask =
      "GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n";
  const std::string go =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n";
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(ask + "early"));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, ask));
  ASSERT_TRUE(app.say(go + "first"));
  ASSERT_TRUE(world.hears(caller, go + "first"));
  ASSERT_TRUE(world.hears(app, ask + "early"));
  EXPECT_EQ(world.server.counters().in_flight, 1);
  ASSERT_TRUE(caller.say("ping"));
  ASSERT_TRUE(world.hears(app, ask + "earlyping"));
  caller.finish();
  ASSERT_TRUE(world.hears_end(app)) << "the end of one direction is passed on";
  ASSERT_TRUE(app.say("bye"));
  ASSERT_TRUE(world.hears(caller, go + "firstbye"));
  app.close();
  ASSERT_TRUE(world.hears_end(caller));
  EXPECT_FALSE(caller.was_reset());
  EXPECT_TRUE(world.is_at_rest());
  EXPECT_TRUE(world.outcomes.at(0).was_upgraded);
}

TEST(Exchange, AHalfOpenTunnelWaitsForItsOtherSide) {
  ProxyWorld world;
  const std::string ask =
      "GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n";
  const std::string go =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n";
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(ask));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, ask));
  ASSERT_TRUE(app.say(go));
  app.finish();
  ASSERT_TRUE(world.hears_end(caller));
  EXPECT_EQ(caller.received(), go);
  std::size_t turns = 0;
  while (turns < 100 && world.io.poll_one() > 0) ++turns;
  EXPECT_LT(turns, 100U) << "it turns in circles";
  ASSERT_TRUE(caller.say("still here"));
  ASSERT_TRUE(world.hears(app, ask + "still here"));
  caller.close();
  ASSERT_TRUE(world.hears_end(app));
  EXPECT_TRUE(world.is_at_rest());
}

TEST(Exchange, AResponseMayArriveBeforeTheRequestHasEnded) {
  ProxyWorld world;
  const std::string head = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n";
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(head + "01234"));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, head + "01234"));
  ASSERT_TRUE(app.say("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab"));
  const std::string answer_head =
      "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\n";
  ASSERT_TRUE(world.hears(caller, answer_head + "ab"));
  ASSERT_TRUE(caller.say("56789"));
  ASSERT_TRUE(world.hears(app, head + "0123456789")) << "both directions at once";
  ASSERT_TRUE(app.say("cd"));
  EXPECT_TRUE(world.hears(caller, answer_head + "abcd"));
  EXPECT_TRUE(world.hears_end(caller));
}

TEST(Exchange, ARejectionInTheMiddleOfAnUploadReachesItsCaller) {
  ProxyWorld world;
  const std::string no =
      "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"));
  ASSERT_TRUE(caller.say(std::string(50000, 'x')));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.until([&] {
    app.listen();
    return app.received().size() > 50000;
  }));
  ASSERT_TRUE(app.say(no));
  app.close();
  ASSERT_TRUE(caller.say(std::string(50000, 'x'))) << "still sending";
  EXPECT_TRUE(world.hears(caller, no));
  EXPECT_TRUE(world.hears_end(caller));
  EXPECT_FALSE(caller.was_reset());
}

// A close with unread bytes would reset the connection and lose the end of the response.
TEST(Exchange, TheLastResponseArrivesWhateverFollowsItsRequest) {
  for (const std::string& behind : {std::string("\r\n"), kGet}) {
    ProxyWorld world;
    TestPeer caller = world.caller();
    const std::string request =
        "POST /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\n";
    ASSERT_TRUE(caller.say(request));
    TestPeer app = world.accept();
    ASSERT_TRUE(caller.say("hello" + behind));
    ASSERT_TRUE(world.until([&] {
      app.listen();
      return app.received().ends_with("hello");
    }));
    ASSERT_TRUE(app.say(kOk));
    ASSERT_TRUE(world.hears_end(caller));
    EXPECT_TRUE(caller.received().ends_with("ok"));
    EXPECT_FALSE(caller.was_reset());
    caller.close();
    EXPECT_TRUE(world.until([&] { return world.server.counters().open_connections == 0; }));
    EXPECT_EQ(world.server.counters().requests, 1U);
  }
}

TEST(Exchange, AnHttp10CallerIsServedInItsVersion) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
  ASSERT_TRUE(app.say(kOk));
  EXPECT_TRUE(world.hears(
      caller, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok"));
}

TEST(Exchange, ARequestWithoutHostDoesNotGetTheHostOfAnEarlierOne) {
  ProxyWorld world;
  const std::string old = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, kGet));
  ASSERT_TRUE(app.say(kOk));
  ASSERT_TRUE(world.hears(caller, kOk));
  ASSERT_TRUE(caller.say(old));
  EXPECT_TRUE(world.hears(app, kGet + old));
}

/// "X-000: 0\r\n" and so on, with a value that makes them `bytes` long together.
std::string lines(int count, std::size_t bytes) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    const std::size_t size = (bytes - all.size()) / static_cast<std::size_t>(count - i);
    const std::string number = std::to_string(1000 + i).substr(1);
    all += "X-" + number + ": " + std::string(size - 9, 'v') + "\r\n";
  }
  return all;
}

/// What a queue-proxy may add to a response of its app.
const std::string kAddedInside =
    "Date: Tue, 22 Sep 2026 14:13:20 GMT\r\n"
    "x-bellows-in-flight: 2147483647\r\nx-bellows-queue-ms: 9223372036854775807\r\n";

TEST(ResponseHead, AsLargeAsAnAppMayMakeItIsRelayedByEachHop) {
  const std::string start = "HTTP/1.1 200 OK\r\n";
  const std::string length = "Content-Length: 0\r\n";
  const std::size_t total = std::size_t{32} * 1024;
  const std::string max_lines = length + lines(99, 990);
  const std::string max_bytes = length + lines(90, total - start.size() - length.size() - 2);
  for (const std::string& fields : {max_lines, max_bytes}) {
    for (const Peer upstream : {Peer::kOutside, Peer::kInside}) {
      ProxyWorld world;
      world.handler.options.upstream = upstream;
      world.handler.options.downstream = Peer::kOutside;
      TestPeer caller = world.caller();
      ASSERT_TRUE(caller.say(kGet));
      TestPeer app = world.accept();
      const std::string added = upstream == Peer::kInside ? kAddedInside : "";
      ASSERT_TRUE(app.say(start + fields + added + "\r\n"));
      EXPECT_TRUE(world.hears(caller, start + fields + "\r\n")) << caller.received().substr(0, 200);
    }
  }
}

TEST(ResponseHead, ThatIsLargerIsA502ForItsSizeNotItsReplica) {
  const std::string start = "HTTP/1.1 200 OK\r\n";
  const std::string reason = "app: responded with too large a head: ";
  for (const auto& [fields, why] :
       {std::pair(lines(101, 1010), "there are too many header lines, the limit is 100\n"),
        std::pair(lines(1, 33 * 1024),
                  "the header lines are too large together, the limit is 32Ki bytes\n"),
        std::pair(lines(90, std::size_t{33} * 1024),
                  "the header lines are too large together, the limit is 32Ki bytes\n")}) {
    ProxyWorld world;
    TestPeer caller = world.caller();
    ASSERT_TRUE(caller.say(kGet));
    TestPeer app = world.accept();
    ASSERT_TRUE(app.say(start + fields + "\r\n"));
    ASSERT_TRUE(world.until([&] {
      caller.listen();
      return !caller.received().empty();
    }));
    EXPECT_TRUE(caller.received().starts_with("HTTP/1.1 502 Bad Gateway\r\n"));
    EXPECT_NE(caller.received().find("X-Bellows-Reason: too-large\r\n"), std::string::npos);
    EXPECT_NE(caller.received().find("\r\n\r\n" + reason + why), std::string::npos)
        << caller.received();
    EXPECT_EQ(world.handler.errors.at(0).kind(), ErrorKind::kTooLarge);
  }
}

TEST(Upgrade, ToAProtocolThatWasNotOfferedIsA502) {
  const std::string ask =
      "GET /a HTTP/1.1\r\nHost: a\r\nUpgrade: WebSocket\r\nConnection: upgrade\r\n\r\n";
  for (const char* switched :
       {"Upgrade: h2c\r\n", "Upgrade: websocket, h2c\r\n", "X-Nothing: said\r\n"}) {
    ProxyWorld world;
    TestPeer caller = world.caller();
    ASSERT_TRUE(caller.say(ask));
    TestPeer app = world.accept();
    ASSERT_TRUE(world.hears(app, ask));
    ASSERT_TRUE(app.say("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\n" +
                        std::string(switched) + "\r\n"));
    ASSERT_TRUE(world.until([&] { return !world.handler.errors.empty(); }));
    EXPECT_EQ(world.handler.errors.at(0).kind(), ErrorKind::kMalformed) << switched;
  }
}

TEST(InnerHop, ARetryableRejectionReportsIfTheAppWasReached) {
  struct Case {
    std::string reason;
    std::string error;
  };
  for (const Case& row : std::vector<Case>{{"refused", "app: its app could not be reached"},
                                           {"timeout", "app: its app could not be reached"},
                                           {"reset", "app: its app closed before it responded"}}) {
    ProxyWorld world;
    world.handler.options.upstream = Peer::kInside;
    TestPeer caller = world.caller();
    ASSERT_TRUE(caller.say(kGet));
    TestPeer queue_proxy = world.accept();
    ASSERT_TRUE(world.hears(queue_proxy, kGet));
    ASSERT_TRUE(queue_proxy.say(
        "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nX-Bellows-Reason: " + row.reason +
        "\r\nx-bellows-retry: elsewhere\r\n\r\n"));
    ASSERT_TRUE(world.until([&] { return !world.handler.errors.empty(); }));
    const Error& error = world.handler.errors.at(0);
    EXPECT_EQ(to_string(error), row.error);
    EXPECT_EQ(error.kind(), row.reason == "reset" ? ErrorKind::kReset : ErrorKind::kRefused);
    EXPECT_TRUE(error.may_retry()) << "elsewhere";
  }
}

TEST(Date, IsAddedToResponsesWithoutOneAndToLocalReplies) {
  ProxyWorld world;
  const std::string date = "Date: Tue, 22 Sep 2026 14:13:20 GMT\r\n";
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet + kGet + "nonsense\r\n\r\n"));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, kGet));
  ASSERT_TRUE(app.say(kOk));
  ASSERT_TRUE(world.hears(app, kGet + kGet));
  const std::string dated =
      "HTTP/1.1 200 OK\r\ndate: Mon, 01 Jan 1990 00:00:00 GMT\r\nContent-Length: 0\r\n\r\n";
  ASSERT_TRUE(app.say(dated));
  ASSERT_TRUE(world.hears_end(caller));
  const std::string expected = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + date + "\r\nok" + dated;
  ASSERT_TRUE(caller.received().starts_with(expected)) << caller.received();
  EXPECT_NE(caller.received().find("\r\n" + date, expected.size()), std::string::npos);
}

TEST(Exchange, ServerSentEventsAreRelayedAtOnce) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, kGet));
  std::string expected =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
  ASSERT_TRUE(app.say(expected));
  ASSERT_TRUE(world.hears(caller, expected));
  for (int i = 0; i < 5; ++i) {
    const std::string event = "9\r\ndata: x\n\n\r\n";
    ASSERT_TRUE(app.say(event));
    ASSERT_TRUE(world.hears(caller, expected += event));
    EXPECT_LE(world.reactor.buffers().borrowed(), 1U) << "the request alone, between two events";
  }
}

TEST(Exchange, ASlowReaderSlowsItsSenderAndTakesNoMemory) {
  ProxyWorld world;
  const std::size_t size = std::size_t{32} * 1024 * 1024;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, kGet));
  const std::string head =
      "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
  ASSERT_TRUE(app.say(head));
  const std::string piece(64 * 1024, 'x');
  std::size_t said = 0;
  // The sender has to stop long before the end, because nobody reads.
  for (int blocked = 0; blocked < 50 && said < size;) {
    const bool went = app.say(piece);
    if (went) {
      said += piece.size();
    } else {
      ++blocked;
      break;
    }
    world.io.poll();
  }
  ASSERT_LT(said, size);
  EXPECT_LE(world.reactor.buffers().borrowed(), 3U);
  caller.reset();
  EXPECT_TRUE(world.is_at_rest());
}

TEST(Exchange, MalformedRequestsAreRejectedAndNeverForwarded) {
  const std::vector<std::string> malformed = {
      std::string("GET / HTTP/1.1\nHost: a\n\n"), "GET / HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5x\r\nhello\r\n"};
  for (const std::string& bad : malformed) {
    ProxyWorld world;
    TestPeer caller = world.caller();
    ASSERT_TRUE(caller.say(bad + kGet));
    EXPECT_TRUE(world.hears_end(caller));
    EXPECT_TRUE(caller.received().starts_with("HTTP/1.1 400 Bad Request\r\n")) << caller.received();
    EXPECT_NE(caller.received().find("X-Bellows-Reason: malformed\r\n"), std::string::npos);
    EXPECT_FALSE(caller.was_reset());
    TestPeer app = world.app.accept();
    if (app.is_open()) app.listen();
    EXPECT_EQ(app.received(), "");
    EXPECT_TRUE(world.is_at_rest());
  }
}

TEST(Exchange, AMalformedLaterChunkAbortsTheUpstreamAndIsRejected) {
  ProxyWorld world;
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(head + "1\r\na\r\n"));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, head + "1\r\na\r\n"));
  ASSERT_TRUE(caller.say("nonsense\r\n"));
  EXPECT_TRUE(world.hears_end(app));
  EXPECT_EQ(app.received(), head + "1\r\na\r\n");
  EXPECT_TRUE(world.hears_end(caller));
  EXPECT_TRUE(caller.received().starts_with("HTTP/1.1 400 ")) << caller.received();
}

}  // namespace
}  // namespace bellows::proxy
