#include "http/io/websocket.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "http/io/client.hpp"
#include "http/io/service_server.hpp"
#include "http/io/task_group.hpp"
#include "tests/integration/http/service_world.hpp"
#include "tests/integration/http/tls_world.hpp"
#include "tests/support/raw_peer.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::http {
namespace {

using test::RawPeer;
using test::run_task;
using test::ScriptedServer;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

const test::TestCa& test_ca() {
  static const test::TestCa ca;
  return ca;
}

/// Whether the running test speaks wss; the certificates for it.
bool is_over_tls = false;
TlsContext* server_context() {
  static const test::TestCertificate certificate = test_ca().sign_localhost();
  static const std::shared_ptr<TlsContext> context = server_tls(certificate);
  return is_over_tls ? context.get() : nullptr;
}
TlsContext* client_context() {
  static const std::shared_ptr<TlsContext> context = client_tls(test_ca());
  return is_over_tls ? context.get() : nullptr;
}

/// What holds for ws and wss alike.
class WebSocketOver : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { is_over_tls = std::string_view(GetParam()) == "wss"; }
  void TearDown() override { is_over_tls = false; }
};
INSTANTIATE_TEST_SUITE_P(Both, WebSocketOver, ::testing::Values("ws", "wss"),
                         [](const auto& each) { return std::string(each.param); });

/// A server whose /stats hands each WebSocket to `handler`.
struct StatServer {
  StatServer(net::io_context& io, WebSocketHandler handler, WebSocketOptions options = {},
             const Endpoint& at = kLoopback)
      : server(io, {.websocket = options, .tls = server_context()}) {
    server.websocket("/stats", std::move(handler));
    endpoint = server.listen(at).value();
  }
  ServiceServer server;
  Endpoint endpoint;
};

Awaitable<Result<std::unique_ptr<WebSocket>>> connect_to_stats(const StatServer& stats) {
  WebSocketOptions options;
  options.tls = client_context();
  co_return co_await connect_websocket(stats.endpoint, "/stats", options);
}

Awaitable<void> echo(std::unique_ptr<WebSocket> socket) {
  for (;;) {
    const Result<std::string> message = co_await socket->read();
    if (!message) co_return;
    co_await socket->write(*message);
  }
}

/// The result of a read() or write() of another task, and a way to wait for it.
class Outcome {
 public:
  explicit Outcome(net::io_context& io)
      : arrival_(io, std::chrono::steady_clock::time_point::max()) {}

  void set(Result<std::string> result) {
    result_ = std::move(result);
    arrival_.cancel();
  }
  bool is_there() const { return result_.has_value(); }

  Awaitable<std::string> message() {
    co_await arrive();
    co_return result_->value();
  }
  Awaitable<Error> error() {
    co_await arrive();
    if (*result_) throw std::logic_error("a message instead of an error: " + **result_);
    co_return result_->error();
  }

 private:
  Awaitable<void> arrive() {
    boost::system::error_code ignored;
    if (!result_) co_await arrival_.async_wait(awaiting(ignored));
  }

  AsioTimer arrival_;
  std::optional<Result<std::string>> result_;
};

/// Reads one message and reports the result.
WebSocketHandler reads_into(Outcome& outcome) {
  return [&outcome](std::unique_ptr<WebSocket> socket) -> Awaitable<void> {
    outcome.set(co_await socket->read());
  };
}

/// The bytes of a client's handshake.
std::string handshake(const std::string& path = "/stats") {
  return "GET " + path +
         " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
         "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
}

/// A frame as a client sends it: first byte, then mask bit and length below 126, a zero mask.
std::string masked_frame(unsigned char first, const std::string& payload) {
  std::string frame;
  frame += static_cast<char>(first);
  frame += static_cast<char>(0x80U | payload.size());
  return frame + std::string(4, '\0') + payload;
}

/// A connection after its handshake, for raw bytes.
Awaitable<RawPeer> raw_websocket(Endpoint endpoint) {
  RawPeer peer = co_await RawPeer::connect(std::move(endpoint));
  co_await peer.send(handshake());
  const std::string answer = co_await peer.read_until("\r\n\r\n");
  if (!answer.starts_with("HTTP/1.1 101 ")) throw std::runtime_error("no upgrade: " + answer);
  co_return peer;
}

TEST_P(WebSocketOver, MessagesOfEverySizeUpToTheLimitAreEchoedUnchanged) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    StatServer stats(io, echo);
    auto socket = (co_await connect_to_stats(stats)).value();
    EXPECT_EQ(socket->peer(), to_string(stats.endpoint));
    static const std::size_t sizes[] = {0, 1, 125, 126, 1535, 1536, 5000, 65535, 65536};
    for (const std::size_t size : sizes) {
      std::string message(size, '\0');
      for (std::size_t i = 0; i < size; ++i) message[i] = static_cast<char>(i * 7);
      EXPECT_TRUE((co_await socket->write(message)).has_value());
      const Result<std::string> back = co_await socket->read();
      EXPECT_TRUE(back.has_value() && *back == message) << size;
    }
  });
}

TEST_P(WebSocketOver, ManyMessagesInOneReadKeepTheirOrderAndBounds) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    StatServer stats(io, [](std::unique_ptr<WebSocket> socket) -> Awaitable<void> {
      for (int i = 0; i < 1000; ++i) co_await socket->write("stat " + std::to_string(i));
      co_await socket->close("all sent");
    });
    auto socket = (co_await connect_to_stats(stats)).value();
    for (int i = 0; i < 1000; ++i) {
      const Result<std::string> message = co_await socket->read();
      EXPECT_EQ(message.value(), "stat " + std::to_string(i));
    }
  });
}

TEST_P(WebSocketOver, AUnixSocketWorksAsWell) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const test::TemporaryFolder folder;
    StatServer stats(io, echo, {}, {.host = {}, .port = 0, .unix_path = folder.path("stats.sock")});
    auto socket = (co_await connect_to_stats(stats)).value();
    co_await socket->write("hi");
    EXPECT_EQ((co_await socket->read()).value(), "hi");
  });
}

TEST_P(WebSocketOver, TheOtherSideSeesTheReasonOfAClose) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    Outcome seen(io);
    StatServer stats(io, reads_into(seen));
    auto socket = (co_await connect_to_stats(stats)).value();
    co_await socket->close("draining");
    co_await socket->close("again");
    const Error error = co_await seen.error();
    EXPECT_EQ(error.kind(), ErrorKind::kReset);
    EXPECT_THAT(error.message(), HasSubstr("closed the WebSocket: \"draining\" (code 1000)"));
  });
}

TEST_P(WebSocketOver, CloseCancelsThePendingReadOfThisSide) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    StatServer stats(io, echo);
    auto socket = (co_await connect_to_stats(stats)).value();
    Outcome seen(io);
    TaskGroup reading(io);
    reading.spawn("read", [&]() -> Awaitable<void> { seen.set(co_await socket->read()); });
    co_await socket->close("enough");
    EXPECT_EQ((co_await seen.error()).kind(), ErrorKind::kCancelled);
    EXPECT_FALSE((co_await socket->write("late")).has_value());
  });
}

TEST_P(WebSocketOver, AReasonThatIsTooLongIsTruncatedBetweenCharacters) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    Outcome seen(io);
    StatServer stats(io, reads_into(seen));
    auto socket = (co_await connect_to_stats(stats)).value();
    std::string reason;  // 2-byte characters: the 123rd byte is half of one
    while (reason.size() < 200) reason += "\xc3\xa9";
    co_await socket->close(reason);
    const Error error = co_await seen.error();
    EXPECT_EQ(error.kind(), ErrorKind::kReset);
    EXPECT_THAT(error.message(), HasSubstr("\"" + reason.substr(0, 122) + "\""));
  });
}

TEST(WebSocket, APeerThatNeverRespondsToACloseIsDisconnected) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    StatServer stats(io,
                     [](std::unique_ptr<WebSocket> socket) -> Awaitable<void> {
                       co_await socket->close("going");
                     },
                     {.close_wait = 10ms});
    RawPeer peer = co_await raw_websocket(stats.endpoint);
    EXPECT_THAT(co_await peer.read_to_end(), HasSubstr("going"));
  });
}

TEST(WebSocket, APeerThatRespondsToPingsStaysConnected) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    constexpr Duration kDeadAfter = 100ms;
    StatServer stats(io, echo, {.ping_after = 5ms, .dead_after = kDeadAfter});
    RawPeer peer = co_await raw_websocket(stats.endpoint);
    const std::string ping("\x89\x00", 2);
    for (const TimePoint begin = in(0s); in(0s) - begin < 2 * kDeadAfter;) {
      EXPECT_EQ(co_await peer.read_exactly(2), ping);
      co_await peer.send(masked_frame(0x8a, ""));
    }
    co_await peer.send(masked_frame(0x82, "here"));
    const std::string answer("\x82\x04here", 6);
    EXPECT_EQ(co_await peer.read_until(answer), answer);
  });
}

TEST(WebSocket, ASuspendedProcessDoesNotDisconnectItsIdlePeersAfterwards) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    constexpr Duration kDeadAfter = 50ms;
    StatServer stats(io, echo, {.ping_after = 10ms, .dead_after = kDeadAfter});
    RawPeer peer = co_await raw_websocket(stats.endpoint);
    // What SIGSTOP does to the io thread.
    for (const TimePoint end = in(2 * kDeadAfter); in(0s) < end;) {
    }
    const std::string ping("\x89\x00", 2);
    EXPECT_EQ(co_await peer.read_exactly(2), ping);
    co_await peer.send(masked_frame(0x8a, "") + masked_frame(0x82, "here"));
    const std::string answer("\x82\x04here", 6);
    EXPECT_THAT(co_await peer.read_until(answer), ::testing::EndsWith(answer));
  });
}

TEST(WebSocket, APeerWithoutPongCountsAsLost) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    Outcome seen(io);
    StatServer stats(io, reads_into(seen), {.ping_after = 5ms, .dead_after = 30ms});
    RawPeer peer = co_await raw_websocket(stats.endpoint);
    const std::string ping("\x89\x00", 2);
    EXPECT_THAT(co_await peer.read_to_end(), StartsWith(ping));
    const Error error = co_await seen.error();
    EXPECT_EQ(error.kind(), ErrorKind::kReset);
    EXPECT_EQ(error.message(), "nothing received for 30ms");
  });
}

TEST(WebSocket, APeerThatIsWatchedMoreCloselyIsLostSooner) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    Outcome seen(io);
    const auto watch_closely = [&seen](std::unique_ptr<WebSocket> socket) -> Awaitable<void> {
      socket->set_liveness(5ms, 30ms);
      co_await reads_into(seen)(std::move(socket));
    };
    StatServer stats(io, watch_closely, {.ping_after = 1h, .dead_after = 2h});
    RawPeer peer = co_await raw_websocket(stats.endpoint);
    const Error error = co_await seen.error();
    EXPECT_EQ(error.message(), "nothing received for 30ms");
  });
}

TEST(WebSocket, APeerThatReadsNothingCountsAsLost) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    Outcome seen(io);
    StatServer stats(io,
                     [&seen](std::unique_ptr<WebSocket> socket) -> Awaitable<void> {
                       const std::string much(1'000'000, 'x');
                       for (;;) {
                         const Result<void> written = co_await socket->write(much);
                         if (!written) {
                           seen.set(fail(written.error()));
                           co_return;
                         }
                       }
                     },
                     {.ping_after = 5ms, .dead_after = 30ms});
    RawPeer peer = co_await raw_websocket(stats.endpoint);
    const Error error = co_await seen.error();
    EXPECT_EQ(error.kind(), ErrorKind::kReset);
    EXPECT_EQ(error.message(), "read no message for 30ms");
  });
}

TEST(WebSocket, APeerThatClosesTheConnectionIsAReset) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    Outcome seen(io);
    StatServer stats(io, reads_into(seen));
    RawPeer peer = co_await raw_websocket(stats.endpoint);
    co_await peer.send(masked_frame(0x82, "whole").substr(0, 8));
    peer.close();
    const Error error = co_await seen.error();
    EXPECT_EQ(error.kind(), ErrorKind::kReset) << to_string(error);
  });
}

TEST(WebSocket, InvalidFramesAreMalformedAndTheResponseIsAClose) {
  static const std::string frames[] = {
      std::string("\x82\x03", 2) + "abc",                   // a client has to mask
      masked_frame(0xc2, "abc"),                            // a reserved bit
      masked_frame(0x83, "abc"),                            // a reserved opcode
      masked_frame(0x80, "abc"),                            // a continuation of nothing
      masked_frame(0x81, "\xff\xfe"),                       // text that is not UTF-8
      masked_frame(0x09, ""),                               // a ping in parts
      std::string("\x82\xfe\x00\x01\x00\x00\x00\x00x", 9),  // a length that is not the shortest
      masked_frame(0x88, "x"),                              // half a close code
  };
  for (const std::string& frame : frames) {
    run_task([&frame](net::io_context& io) -> Awaitable<void> {
      Outcome seen(io);
      StatServer stats(io, reads_into(seen));
      RawPeer peer = co_await raw_websocket(stats.endpoint);
      co_await peer.send(frame);
      const std::string close = co_await peer.read_exactly(4);
      EXPECT_EQ(close[0], '\x88');
      peer.close();
      const Error error = co_await seen.error();
      EXPECT_EQ(error.kind(), ErrorKind::kMalformed)
          << testing::PrintToString(frame) << to_string(error);
    });
  }
}

TEST(WebSocket, APeerThatViolatesTheProtocolAndStaysIsDisconnected) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    Outcome seen(io);
    StatServer stats(io, reads_into(seen), {.ping_after = 5ms, .close_wait = 10ms});
    RawPeer peer = co_await raw_websocket(stats.endpoint);
    co_await peer.send(masked_frame(0x83, "abc"));
    const std::string close = co_await peer.read_exactly(4);
    EXPECT_EQ(close[0], '\x88');
    const Error error = co_await seen.error();
    EXPECT_EQ(error.kind(), ErrorKind::kMalformed) << to_string(error);
  });
}

TEST(WebSocket, AMessageOverTheLimitIsTooLargeInOneFrameOrMany) {
  static const std::string messages[] = {
      masked_frame(0x82, std::string(11, 'a')),
      masked_frame(0x02, std::string(6, 'a')) + masked_frame(0x80, std::string(6, 'a')),
  };
  for (const std::string& message : messages) {
    run_task([&message](net::io_context& io) -> Awaitable<void> {
      Outcome seen(io);
      StatServer stats(io, reads_into(seen), {.max_message_bytes = 10});
      RawPeer peer = co_await raw_websocket(stats.endpoint);
      co_await peer.send(message);
      const std::string too_big("\x88\x02\x03\xf1", 4);  // close, code 1009
      EXPECT_EQ(co_await peer.read_exactly(4), too_big);
      peer.close();
      const Error error = co_await seen.error();
      EXPECT_EQ(error.kind(), ErrorKind::kTooLarge) << to_string(error);
    });
  }
}

TEST_P(WebSocketOver, AStoppedTaskGroupCancelsTheRead) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    StatServer stats(io, echo);
    auto socket = (co_await connect_to_stats(stats)).value();
    Outcome seen(io);
    TaskGroup reading(io);
    reading.spawn("read", [&]() -> Awaitable<void> { seen.set(co_await socket->read()); });
    reading.stop();
    EXPECT_EQ((co_await seen.error()).kind(), ErrorKind::kCancelled);
  });
}

TEST_P(WebSocketOver, AServerThatStopsTellsBothSides) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    Outcome seen(io);
    StatServer stats(io, reads_into(seen));
    auto socket = (co_await connect_to_stats(stats)).value();
    TaskGroup stopping(io);
    stopping.spawn("stop", [&stats] { return stats.server.stop(in(5s)); });
    const Result<std::string> end = co_await socket->read();
    EXPECT_EQ(end.error().kind(), ErrorKind::kReset);
    EXPECT_THAT(end.error().message(), HasSubstr("the server is stopping"));
    EXPECT_TRUE((co_await stopping.join(in(5s))).has_value());
    EXPECT_EQ((co_await seen.error()).kind(), ErrorKind::kCancelled);
  });
}

TEST(WebSocket, AnOrdinaryRequestToItsPathIsA426) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    StatServer stats(io, echo);
    const Response response = (co_await fetch(stats.endpoint, "GET", "/stats")).value();
    EXPECT_EQ(response.status, 426);
    EXPECT_EQ(response.body, "/stats takes WebSockets only.\n");
  });
}

TEST(WebSocket, AnUpgradeWithoutKeyIsRejected) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    StatServer stats(io, echo);
    RawPeer peer = co_await RawPeer::connect(stats.endpoint);
    co_await peer.send(
        "GET /stats HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\n\r\n");
    EXPECT_THAT(co_await peer.read_to_end(), StartsWith("HTTP/1.1 400 "));
  });
}

TEST(WebSocket, FramesBeforeTheEndOfTheHandshakeAreRejected) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    StatServer stats(io, echo);
    RawPeer peer = co_await RawPeer::connect(stats.endpoint);
    co_await peer.send(handshake() + masked_frame(0x82, "early"));
    EXPECT_THAT(co_await peer.read_to_end(), StartsWith("HTTP/1.1 400 "));
  });
}

Awaitable<Error> connect_error(Endpoint endpoint, WebSocketOptions options = {}) {
  auto connected = co_await connect_websocket(std::move(endpoint), "/stats", options);
  if (connected) throw std::logic_error("connected");
  co_return connected.error();
}

TEST(ConnectWebSocket, ErrorsNameTheEndpointAndWhatWasFoundThere) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const Endpoint nobody = bind_and_listen(kLoopback, 0600).value().endpoint;
    const Error refused = co_await connect_error(nobody);
    EXPECT_EQ(refused.kind(), ErrorKind::kRefused);
    EXPECT_TRUE(refused.may_retry());

    ServiceServer other(io);
    const Endpoint page = other.listen(kLoopback).value();
    const Error declined = co_await connect_error(page);
    EXPECT_EQ(declined.kind(), ErrorKind::kMalformed);
    EXPECT_EQ(to_string(declined),
              to_string(page) + ": no WebSocket at /stats: the response is 404");

    const ScriptedServer silent(
        io, [](RawPeer& peer) -> Awaitable<void> { co_await peer.read_to_end(); });
    const Error timeout = co_await connect_error(silent.endpoint(), {.handshake_timeout = 20ms});
    EXPECT_EQ(timeout.kind(), ErrorKind::kTimeout);
    EXPECT_EQ(timeout.culprit(), to_string(silent.endpoint()));

    const ScriptedServer closing(
        io, [](RawPeer& peer) -> Awaitable<void> { co_await peer.read_until("\r\n\r\n"); });
    EXPECT_EQ((co_await connect_error(closing.endpoint())).kind(), ErrorKind::kReset);

    const ScriptedServer noise(io, [](RawPeer& peer) -> Awaitable<void> {
      co_await peer.read_until("\r\n\r\n");
      co_await peer.send("220 mail.example.com\r\n\r\n");
    });
    EXPECT_EQ((co_await connect_error(noise.endpoint())).kind(), ErrorKind::kMalformed);
  });
}

}  // namespace
}  // namespace bellows::http
