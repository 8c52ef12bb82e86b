// Requests and responses through both sides of HTTP/2: HTTP/1.1 text in, the same message out.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/integration/h2/h2_world.hpp"

namespace bellows::http2 {
namespace {

const std::string kGetText = "GET /a HTTP/1.1\r\nhost: h\r\n\r\n";

class Exchange : public testing::Test {
 protected:
  H2World world_;

  /// Opens a stream, sends `request`, and gives the server's end of it.
  http::Connection& begin(const std::string& request) {
    caller_ = world_.client->open_stream();
    EXPECT_EQ(caller_->try_write(request).bytes, request.size());
    world_.settle();
    EXPECT_FALSE(world_.streams.empty());
    return *world_.streams.back();
  }
  /// What the caller reads after the server's end has written `response`.
  std::string answer(http::Connection& app, const std::string& response) {
    EXPECT_EQ(app.try_write(response).bytes, response.size());
    world_.settle();
    return read_now(*caller_);
  }

  ConnectionPtr caller_;
};

TEST_F(Exchange, AGetAndItsResponse) {
  world_.start_both();
  http::Connection& app = begin(kGet);
  EXPECT_TRUE(app.is_stream() && app.is_open());
  EXPECT_EQ(read_now(app), kGetText);
  EXPECT_EQ(read_kind(app), Kind::kWouldBlock);
  EXPECT_EQ(answer(app, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b\r\n\r\nok"),
            "HTTP/1.1 200 OK\r\nx-a: b\r\ncontent-length: 2\r\n\r\nok");
  EXPECT_EQ(read_kind(*caller_), Kind::kEnd);
  EXPECT_EQ(read_kind(app), Kind::kEnd) << "there is no second request";
  EXPECT_FALSE(caller_->was_reset() || app.was_reset());
  world_.streams.clear();
  caller_.reset();
  world_.settle();
  EXPECT_EQ(world_.server->open_streams(), 0U);
  EXPECT_EQ(world_.client->open_streams(), 0U);
  EXPECT_TRUE(world_.client->may_open());
}

TEST_F(Exchange, BodiesInChunksWithTrailersBothWays) {
  world_.start_both();
  http::Connection& app = begin(
      "POST / HTTP/1.1\r\nHost: h\r\nTE: trailers\r\nConnection: TE\r\nTransfer-Encoding: "
      "chunked\r\n\r\n"
      "3\r\nabc\r\n0\r\nSum: 1\r\n\r\n");
  EXPECT_EQ(read_now(app),
            "POST / HTTP/1.1\r\nhost: h\r\nte: trailers\r\ntransfer-encoding: chunked\r\n\r\n"
            "3\r\nabc\r\n0\r\nsum: 1\r\n\r\n");
  EXPECT_EQ(answer(app,
                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                   "2\r\nde\r\n0\r\nGrpc-Status: 0\r\n\r\n"),
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nde\r\n0\r\n"
            "grpc-status: 0\r\n\r\n");
  EXPECT_EQ(read_kind(*caller_), Kind::kEnd);
}

TEST_F(Exchange, InterimResponsesComeFirst) {
  world_.start_both();
  http::Connection& app =
      begin("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(read_now(app),
            "POST / HTTP/1.1\r\nhost: h\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n");
  EXPECT_EQ(answer(app, "HTTP/1.1 100 Continue\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(caller_->try_write("ab").bytes, 2U);
  world_.settle();
  EXPECT_EQ(read_now(app), "ab");
  EXPECT_EQ(
      answer(app, "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"),
      "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(read_kind(*caller_), Kind::kEnd);
}

TEST_F(Exchange, ResponsesWithoutABody) {
  world_.start_both();
  http::Connection& head = begin("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(read_now(head), "HEAD / HTTP/1.1\r\nhost: h\r\n\r\n");
  EXPECT_EQ(answer(head, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"),
            "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n");
  EXPECT_EQ(read_kind(*caller_), Kind::kEnd);
  http::Connection& get = begin(kGet);
  EXPECT_EQ(answer(get, "HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n"),
            "HTTP/1.1 304 Not Modified\r\netag: x\r\n\r\n");
  EXPECT_EQ(read_kind(*caller_), Kind::kEnd);
}

TEST_F(Exchange, ABodyThatEndsWithItsConnection) {
  world_.start_both();
  http::Connection& app = begin(kGet);
  EXPECT_EQ(answer(app, "HTTP/1.1 200 OK\r\n\r\nabc"),
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n");
  EXPECT_EQ(read_kind(*caller_), Kind::kWouldBlock);
  app.close();
  world_.settle();
  EXPECT_EQ(read_now(*caller_), "0\r\n\r\n");
  EXPECT_EQ(read_kind(*caller_), Kind::kEnd);
}

TEST_F(Exchange, AHeadThatComesInPieces) {
  world_.start_both();
  const std::string request = "GET /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc";
  caller_ = world_.client->open_stream();
  for (const char c : request) EXPECT_EQ(caller_->try_write(std::string_view(&c, 1)).bytes, 1U);
  world_.settle();
  http::Connection& app = *world_.streams.at(0);
  EXPECT_EQ(read_now(app, 1), "GET /a HTTP/1.1\r\nhost: h\r\ncontent-length: 3\r\n\r\nabc");
  for (const char c : std::string("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"
                                  "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n")) {
    EXPECT_EQ(app.try_write(std::string_view(&c, 1)).bytes, 1U);
  }
  world_.settle();
  EXPECT_EQ(read_now(*caller_, 1),
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
            "1\r\nx\r\n0\r\n\r\n");
}

TEST_F(Exchange, AWebSocketIsATunnel) {
  world_.start_both();
  http::Connection& app = begin(
      "GET /w HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
  const std::string handshake = read_now(app);
  EXPECT_TRUE(
      handshake.starts_with("GET /w HTTP/1.1\r\nhost: h\r\nsec-websocket-version: 13\r\n"
                            "upgrade: websocket\r\nconnection: upgrade\r\n"
                            "sec-websocket-key: "))
      << handshake;
  EXPECT_EQ(answer(app,
                   "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                   "Connection: Upgrade\r\nSec-WebSocket-Accept: theirs\r\n\r\nhello"),
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
            "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\nhello");
  EXPECT_EQ(caller_->try_write("ping").bytes, 4U);
  world_.settle();
  EXPECT_EQ(read_now(app), "ping");
  caller_->shutdown_write();
  world_.settle();
  EXPECT_EQ(read_kind(app), Kind::kEnd);
  EXPECT_EQ(app.try_write("last").bytes, 4U) << "the other direction stays open";
  app.shutdown_write();
  world_.settle();
  EXPECT_EQ(read_now(*caller_), "last");
  EXPECT_EQ(read_kind(*caller_), Kind::kEnd);
}

/// Else a proxy would wait for the caller's end, until a timeout of its own.
TEST_F(Exchange, ATunnelWhoseAppHasEndedIsCutByItsCallersReset) {
  world_.start_both();
  http::Connection& app = begin(
      "GET /w HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
  read_now(app);
  answer(app,
         "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
         "Connection: Upgrade\r\n\r\n");
  app.shutdown_write();
  world_.settle();
  ASSERT_EQ(read_kind(*caller_), Kind::kEnd);
  ASSERT_EQ(read_kind(app), Kind::kWouldBlock) << "the caller may go on";
  caller_->set_abort_code(static_cast<std::uint32_t>(ErrorCode::kCancel));
  caller_->abort();
  world_.settle();
  EXPECT_TRUE(app.was_reset());
  EXPECT_EQ(read_kind(app), Kind::kFailed);
}

TEST_F(Exchange, ATunnelWhoseAppHasEndedIsCutWithItsConnection) {
  world_.start_both();
  http::Connection& app = begin(
      "GET /w HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
  read_now(app);
  answer(app,
         "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
         "Connection: Upgrade\r\n\r\n");
  app.shutdown_write();
  world_.settle();
  world_.client.reset();
  world_.settle();
  EXPECT_TRUE(app.was_reset());
}

TEST_F(Exchange, AnUpgradeThatIsRefusedIsAnOrdinaryResponse) {
  world_.start_both();
  http::Connection& app = begin(
      "GET /w HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Key: k\r\n\r\n");
  caller_->try_write("GET /early HTTP/1.1\r\n\r\n");
  world_.settle();
  EXPECT_TRUE(read_now(app).ends_with("\r\n\r\n"));
  EXPECT_EQ(read_now(app), "") << "what came early is no second request";
  EXPECT_EQ(answer(app, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"),
            "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
  EXPECT_EQ(read_kind(app), Kind::kEnd);
}

TEST_F(Exchange, AWebSocketWaitsForThePeersSettings) {
  auto [a, b] = test::MemoryConnection::make_pair(world_.faults);
  world_.start_client(std::move(b));
  caller_ = world_.client->open_stream();
  const std::string request =
      "GET /w HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Key: k\r\n\r\n";
  EXPECT_EQ(caller_->try_write(request).bytes, request.size());
  world_.settle();
  world_.start_server(std::move(a));
  world_.settle();
  ASSERT_EQ(world_.streams.size(), 1U);
  EXPECT_TRUE(read_now(*world_.streams[0]).starts_with("GET /w HTTP/1.1\r\n"));
}

TEST_F(Exchange, AResetOfTheAppReachesTheCallerWithItsCode) {
  world_.start_both();
  http::Connection& app = begin(kGet);
  app.set_abort_code(static_cast<std::uint32_t>(ErrorCode::kEnhanceYourCalm));
  app.abort();
  world_.settle();
  EXPECT_TRUE(caller_->was_reset() && caller_->peer_has_closed());
  EXPECT_FALSE(caller_->was_not_processed());
  EXPECT_EQ(caller_->reset_code(), static_cast<std::uint32_t>(ErrorCode::kEnhanceYourCalm));
  EXPECT_EQ(read_kind(*caller_), Kind::kFailed);
  EXPECT_EQ(caller_->try_write("x").kind, Kind::kFailed);
}

TEST_F(Exchange, ACancellationReachesTheApp) {
  world_.start_both();
  http::Connection& app = begin(kGet);
  EXPECT_FALSE(app.peer_has_closed()) << "END_STREAM is no sign that nobody waits";
  caller_.reset();
  world_.settle();
  EXPECT_TRUE(app.was_reset() && app.peer_has_closed());
  EXPECT_EQ(app.reset_code(), static_cast<std::uint32_t>(ErrorCode::kCancel));
  EXPECT_EQ(app.try_write("HTTP/1.1 200 OK\r\n\r\n").kind, Kind::kFailed);
}

TEST_F(Exchange, AResponseThatStaysIncompleteIsAReset) {
  world_.start_both();
  http::Connection& app = begin(kGet);
  EXPECT_EQ(answer(app, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
            "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc");
  app.close();
  world_.settle();
  EXPECT_TRUE(caller_->was_reset());
  EXPECT_EQ(caller_->reset_code(), static_cast<std::uint32_t>(ErrorCode::kInternalError));
}

TEST_F(Exchange, AResponseBeforeTheEndOfItsRequestStopsIt) {
  world_.start_both();
  http::Connection& app = begin("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nabc");
  EXPECT_EQ(answer(app, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n"),
            "HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\n\r\n");
  app.close();
  world_.settle();
  EXPECT_FALSE(caller_->was_reset()) << "RST_STREAM with NO_ERROR leaves the response";
  EXPECT_EQ(read_kind(*caller_), Kind::kEnd);
  EXPECT_EQ(caller_->try_write("def").kind, Kind::kFailed);
}

TEST_F(Exchange, ManyStreamsShareOneWrite) {
  world_.start_both();
  std::vector<ConnectionPtr> callers;
  for (int i = 0; i < 20; ++i) {
    callers.push_back(world_.client->open_stream());
    callers.back()->try_write(kGet);
  }
  world_.settle();
  ASSERT_EQ(world_.streams.size(), 20U);
  for (int i = 0; i < 20; ++i) {
    read_now(*world_.streams[static_cast<std::size_t>(i)]);
    world_.streams[static_cast<std::size_t>(i)]->try_write(
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" + std::to_string(10 + i));
  }
  world_.settle();
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(read_now(*callers[static_cast<std::size_t>(i)]).ends_with(std::to_string(10 + i)));
  }
}

TEST_F(Exchange, ASlowReaderStopsItsOwnSenderAndNobodyElse) {
  world_.start_both();
  http::Connection& app = begin(kGet);
  app.try_write("HTTP/1.1 200 OK\r\n\r\n");
  const std::string block(16'384, 'x');
  std::size_t sent = 0;
  for (int i = 0; i < 100; ++i) {
    sent += app.try_write(block).bytes;
    world_.settle();
  }
  EXPECT_EQ(sent, world_.limits.stream_window + world_.limits.unsent) << "a window, and a buffer";
  ConnectionPtr slow = std::move(caller_);
  http::Connection& other = begin(kGet);
  EXPECT_TRUE(answer(other, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").ends_with("ok"));
  std::size_t received = read_now(*slow).size();
  world_.settle();
  EXPECT_GT(app.try_write(block).bytes, 0U) << "there is room again";
  app.close();
  for (int i = 0; i < 10; ++i) {
    world_.settle();
    received += read_now(*slow).size();
  }
  EXPECT_GT(received, sent + block.size());
  EXPECT_EQ(read_kind(*slow), Kind::kEnd);
}

TEST_F(Exchange, MegabytesBothWaysThroughASmallTransport) {
  world_.capacity = 5'000;
  world_.start_both();
  constexpr std::size_t kBody = 3'000'000;
  http::Connection& app =
      begin("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(kBody) + "\r\n\r\n");
  app.try_write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string body(kBody, 'b');
  const std::string chunk = "4000\r\n" + std::string(0x4000, 'z') + "\r\n";
  std::string up;
  std::string down;
  std::size_t up_sent = 0;
  std::string pending;
  int chunks = 0;
  for (int turn = 0; turn < 100'000 && (up.size() < kBody || chunks < 100 || !pending.empty());
       ++turn) {
    up_sent += caller_->try_write(std::string_view(body).substr(up_sent, 70'000)).bytes;
    if (pending.empty() && chunks < 100) {
      pending = chunk;
      ++chunks;
    }
    if (!pending.empty()) pending.erase(0, app.try_write(pending).bytes);
    world_.settle();
    up += read_now(app);
    down += read_now(*caller_);
  }
  app.try_write("0\r\n\r\n");
  for (int i = 0; i < 1000 && read_kind(*caller_) != Kind::kEnd; ++i) {
    world_.settle();
    down += read_now(*caller_);
  }
  EXPECT_EQ(up.size() - up.find("\r\n\r\n") - 4, kBody);
  EXPECT_EQ(static_cast<std::size_t>(std::count(down.begin(), down.end(), 'z')),
            100 * std::size_t{0x4000});
}

TEST_F(Exchange, TheEndOfTheConnectionIsAResetOfItsStreams) {
  world_.start_both();
  http::Connection& app = begin(kGet);
  world_.server->close();
  world_.settle();
  EXPECT_TRUE(app.was_reset());
  EXPECT_TRUE(caller_->was_reset());
  EXPECT_TRUE(world_.client->has_ended());
  EXPECT_FALSE(world_.client->may_open());
  EXPECT_FALSE(world_.has_server_ended) << "its stream is still there";
  world_.streams.clear();
  world_.settle();
  EXPECT_TRUE(world_.has_server_ended);
}

TEST_F(Exchange, StreamsOutliveTheirConnection) {
  world_.start_both();
  http::Connection& app = begin(kGet);
  world_.server.reset();
  world_.client.reset();
  EXPECT_TRUE(app.was_reset() && caller_->was_reset());
  EXPECT_EQ(read_kind(app), Kind::kFailed);
  EXPECT_EQ(app.try_write("x").kind, Kind::kFailed);
  caller_->shutdown_write();
  caller_->abort();
}

TEST_F(Exchange, DrainingFinishesWhatHasBegun) {
  world_.start_both();
  http::Connection& app = begin(kGet);
  world_.server->drain();
  world_.settle();
  EXPECT_TRUE(world_.server->is_draining());
  EXPECT_FALSE(world_.client->may_open()) << "GOAWAY has come";
  EXPECT_TRUE(answer(app, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").ends_with("ok"));
  EXPECT_FALSE(world_.has_server_ended);
  world_.streams.clear();
  caller_.reset();
  world_.settle();
  EXPECT_TRUE(world_.has_server_ended);
  EXPECT_TRUE(world_.client->has_ended());
}

TEST_F(Exchange, ADrainingClientEndsAfterItsLastStream) {
  world_.start_both();
  http::Connection& app = begin(kGet);
  world_.client->drain();
  EXPECT_FALSE(world_.client->may_open());
  EXPECT_TRUE(answer(app, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").ends_with("ok"));
  caller_.reset();
  world_.streams.clear();
  world_.settle();
  world_.pass(std::chrono::seconds(2));
  EXPECT_TRUE(world_.client->has_ended());
  EXPECT_TRUE(world_.has_server_ended);
}

TEST_F(Exchange, AnUnusedConnectionIsDrained) {
  world_.start_both();
  world_.pass(world_.limits.idle_time + std::chrono::seconds(1));
  EXPECT_TRUE(world_.server->is_draining());
  world_.pass(std::chrono::seconds(2));
  EXPECT_TRUE(world_.has_server_ended);
  EXPECT_TRUE(world_.client->has_ended());
}

TEST_F(Exchange, WhicheverOperationFailsNobodyWaitsForEver) {
  int operations = 0;
  for (int n = -1; n < operations || n < 0; ++n) {
    H2World world;
    world.faults.fail_at = n;
    world.start_both();
    if (!world.client->may_open()) continue;
    ConnectionPtr caller = world.client->open_stream();
    caller->try_write("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc");
    world.settle();
    std::string received;
    if (!world.streams.empty()) {
      http::Connection& app = *world.streams[0];
      const std::string request = read_now(app);
      EXPECT_TRUE(app.was_reset() || request.ends_with("abc")) << n;
      app.try_write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      world.settle();
    }
    received = read_now(*caller);
    if (n < 0) {
      operations = world.faults.operations;
      EXPECT_TRUE(received.ends_with("ok"));
      continue;
    }
    EXPECT_TRUE(received.ends_with("ok") || caller->was_reset()) << n;
    world.streams.clear();
    caller.reset();
    world.settle();
    world.pass(std::chrono::minutes(3));
    world.pass(std::chrono::minutes(3));
    EXPECT_TRUE(world.has_server_ended) << n;
    EXPECT_TRUE(world.client->has_ended()) << n;
  }
  EXPECT_GT(operations, 5);
}

}  // namespace
}  // namespace bellows::http2
