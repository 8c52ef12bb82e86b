#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "base/sys/log.hpp"
#include "http/io/client.hpp"
#include "http/io/event.hpp"
#include "http/io/task_group.hpp"
#include "tests/integration/http/service_world.hpp"
#include "tests/support/few_descriptors.hpp"
#include "tests/support/raw_peer.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::http {
namespace {

using test::FewDescriptors;
using test::RawPeer;
using test::run_task;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

TEST_F(ServiceServerTest, ARequestReachesItsHandlerInParts) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.access = std::nullopt});
    server.route("POST", "/v1/echo", mirror);
    const Endpoint endpoint = server.listen(kLoopback).value();
    EXPECT_NE(endpoint.port, 0);
    const Response response =
        (co_await fetch(endpoint, "POST", "/v1/echo?a=1&b=2", "body")).value();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "POST /v1/echo ? a=1&b=2 | body");
    EXPECT_EQ(response.content_type, "text/plain; charset=utf-8");
  });
}

TEST_F(ServiceServerTest, AConnectionTakesFurtherRequestsEvenPipelinedOnes) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.access = std::nullopt});
    server.route("GET", "/one", says("first"));
    server.route("GET", "/two", says("second"));
    const Endpoint endpoint = server.listen(kLoopback).value();
    const std::string seen =
        co_await conversation(endpoint,
                              "GET /one HTTP/1.1\r\nHost: x\r\n\r\n"
                              "GET /two HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(seen, HasSubstr("\r\n\r\nfirstHTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(seen, EndsWith("second"));
  });
}

TEST_F(ServiceServerTest, AnHttp10ClientGetsItsResponseAndTheConnectionEnds) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.access = std::nullopt});
    server.route("GET", "/", says("old"));
    const Endpoint endpoint = server.listen(kLoopback).value();
    EXPECT_THAT(co_await conversation(endpoint, "GET / HTTP/1.0\r\n\r\n"), EndsWith("\r\n\r\nold"));
  });
}

TEST_F(ServiceServerTest, HeadGetsTheHeaderOfGetWithoutTheBody) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.access = std::nullopt});
    server.route("GET", "/", says("12345"));
    const Endpoint endpoint = server.listen(kLoopback).value();
    const std::string seen =
        co_await conversation(endpoint, "HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(seen, HasSubstr("Content-Length: 5\r\n"));
    EXPECT_THAT(seen, EndsWith("\r\n\r\n"));
  });
}

TEST_F(ServiceServerTest, AnUnknownPathIsA404ThatNamesIt) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.access = std::nullopt});
    server.route("GET", "/status", says("ok"));
    const Endpoint endpoint = server.listen(kLoopback).value();
    const Response response = (co_await fetch(endpoint, "GET", "/stauts?x=1")).value();
    EXPECT_EQ(response.status, 404);
    EXPECT_EQ(response.body, "There is no page /stauts here.\n");
  });
}

TEST_F(ServiceServerTest, AnotherMethodIsA405WithTheAllowedMethods) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.access = std::nullopt});
    server.route("GET", "/scale", says("1"));
    server.route("PUT", "/scale", says("2"));
    const Endpoint endpoint = server.listen(kLoopback).value();
    const Response response = (co_await fetch(endpoint, "DELETE", "/scale")).value();
    EXPECT_EQ(response.status, 405);
    const std::pair<std::string, std::string> allow{"Allow", "GET, HEAD, PUT"};
    EXPECT_THAT(response.headers, ::testing::Contains(allow));
    EXPECT_EQ(response.body, "/scale takes GET, HEAD, PUT, not DELETE.\n");
  });
}

TEST_F(ServiceServerTest, MalformedRequestsAreA400AndTheConnectionEnds) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.access = std::nullopt});
    server.route("GET", "/", says("ok"));
    server.route("POST", "/", mirror);
    const Endpoint endpoint = server.listen(kLoopback).value();
    static const char* const requests[] = {
        "hello\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
        "GET / HTTP/1.1\nHost: x\n\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5x\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    };
    for (const char* const request : requests) {
      EXPECT_THAT(co_await conversation(endpoint, request), StartsWith("HTTP/1.1 400 ")) << request;
    }
  });
}

TEST_F(ServiceServerTest, AClientThatExpects100ContinueGetsIt) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.access = std::nullopt});
    server.route("POST", "/", mirror);
    RawPeer peer = co_await RawPeer::connect(server.listen(kLoopback).value());
    co_await peer.send(
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n"
        "Connection: close\r\n\r\n");
    EXPECT_EQ(co_await peer.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    co_await peer.send("body");
    EXPECT_THAT(co_await peer.read_to_end(), EndsWith("| body"));
  });
}

TEST_F(ServiceServerTest, ARequestThatArrivesTooSlowlyIsDisconnectedAtItsDeadline) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.idle_timeout = 40ms, .access = std::nullopt});
    server.route("GET", "/", says("ok"));
    const Endpoint endpoint = server.listen(kLoopback).value();
    RawPeer slow = co_await RawPeer::connect(endpoint);
    TaskGroup dripping(io);
    dripping.spawn("slow-loris", [&slow]() -> Awaitable<void> {
      co_await slow.send("GET / HTTP/1.1\r\nHost: x\r\n");
      while (co_await slow.send("X: y\r\n")) co_await sleep_for(3ms);
    });
    RawPeer silent = co_await RawPeer::connect(endpoint);
    EXPECT_EQ(co_await silent.read_to_end(), "");
    EXPECT_TRUE((co_await dripping.join(in(5s))).has_value());
  });
}

TEST_F(ServiceServerTest, AClientThatDisconnectsInTheMiddleDoesNotAffectOthers) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.access = std::nullopt});
    server.route("POST", "/", mirror);
    const Endpoint endpoint = server.listen(kLoopback).value();
    static const char* const beginnings[] = {
        "", "POST / HT", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"};
    for (const char* const beginning : beginnings) {
      RawPeer peer = co_await RawPeer::connect(endpoint);
      co_await peer.send(beginning);
      peer.close();
    }
    EXPECT_EQ((co_await fetch(endpoint, "POST", "/")).value().status, 200);
    co_await server.stop(in(5s));
    EXPECT_TRUE(log_lines.empty()) << log_lines.front();
  });
}

TEST_F(ServiceServerTest, AHandlerThatThrowsOrReturnsAnInvalidResponseIsLoggedAndA500) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.access = std::nullopt});
    server.route("GET", "/throws", [](Request) -> Awaitable<Response> {
      throw std::runtime_error("index out of range");
      co_return Response{};
    });
    server.route("GET", "/status", [](Request) -> Awaitable<Response> {
      Response response;
      response.status = 42;
      co_return response;
    });
    server.route("GET", "/splits", [](Request) -> Awaitable<Response> {
      Response response;
      response.headers.emplace_back("X-Name", "a\r\nSet-Cookie: b");
      co_return response;
    });
    server.route("GET", "/", says("fine"));
    const Endpoint endpoint = server.listen(kLoopback).value();
    static const char* const pages[] = {"/throws", "/status", "/splits"};
    for (const char* const page : pages) {
      log_lines.clear();
      const Response response = (co_await fetch(endpoint, "GET", page)).value();
      EXPECT_EQ(response.status, 500);
      EXPECT_EQ(log_lines.size(), 1U);
      EXPECT_THAT(log_lines, ::testing::Contains(HasSubstr(page)));
    }
    EXPECT_EQ((co_await fetch(endpoint, "GET", "/")).value().body, "fine");
  });
}

TEST_F(ServiceServerTest, APortInUseIsOneClearError) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer first(io, {.access = std::nullopt});
    ServiceServer second(io, {.access = std::nullopt});
    const Endpoint taken = first.listen(kLoopback).value();
    const Result<Endpoint> refused = second.listen(taken);
    if (refused) throw std::logic_error("two servers on one port");
    EXPECT_EQ(to_string(refused.error()),
              to_string(taken) + ": bind: Address already in use (EADDRINUSE)");
    co_return;
  });
}

Endpoint unix_endpoint(std::string path) {
  return {.host = {}, .port = 0, .unix_path = std::move(path)};
}

TEST_F(ServiceServerTest, AUnixSocketHasItsModeServesAndIsGoneAfterStop) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const test::TemporaryFolder folder;
    const Endpoint endpoint = unix_endpoint(folder.path("api.sock"));
    ServiceServer server(io, {.access = std::nullopt});
    server.route("GET", "/", says("by file"));
    EXPECT_EQ(server.listen(endpoint).value(), endpoint);
    struct stat file {};
    EXPECT_EQ(::stat(endpoint.unix_path.c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777U, 0600U);
    EXPECT_EQ((co_await fetch(endpoint, "GET", "/")).value().body, "by file");
    co_await server.stop(in(5s));
    EXPECT_NE(::stat(endpoint.unix_path.c_str(), &file), 0);
  });
}

TEST_F(ServiceServerTest, AStaleSocketFileIsReplacedALiveOneOrAnotherFileIsAConflict) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const test::TemporaryFolder folder;
    const Endpoint endpoint = unix_endpoint(folder.path("api.sock"));
    {
      // What a killed process leaves behind: bound, closed, never unlinked.
      net::basic_socket_acceptor<net::local::stream_protocol, Executor> killed(
          io, net::local::stream_protocol::endpoint(endpoint.unix_path));
    }
    ServiceServer server(io, {.access = std::nullopt});
    EXPECT_TRUE(server.listen(endpoint).has_value());
    ServiceServer late(io, {.access = std::nullopt});
    const Result<Endpoint> live = late.listen(endpoint);
    EXPECT_EQ(live.error().kind(), ErrorKind::kConflict);
    EXPECT_EQ(live.error().culprit(), to_string(endpoint));
    const Endpoint plain = unix_endpoint(folder.path("notes.txt"));
    std::ofstream(plain.unix_path) << "keep me";
    EXPECT_EQ(late.listen(plain).error().kind(), ErrorKind::kConflict);
    EXPECT_EQ(late.listen(unix_endpoint(std::string(200, 'a'))).error().kind(),
              ErrorKind::kInvalidSetting);
    co_return;
  });
}

TEST_F(ServiceServerTest, StopEndsIdleConnectionsAndLetsARunningHandlerFinish) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.access = std::nullopt});
    Event release(io);
    Event entered(io);
    server.route("GET", "/", [&](Request) -> Awaitable<Response> {
      entered.set();
      co_await release.wait();
      Response response;
      response.body = "finished";
      co_return response;
    });
    const Endpoint endpoint = server.listen(kLoopback).value();
    RawPeer idle = co_await RawPeer::connect(endpoint);
    RawPeer busy = co_await RawPeer::connect(endpoint);
    co_await busy.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    co_await entered.wait();

    TaskGroup stopping(io);
    stopping.spawn("stop", [&server] { return server.stop(in(5s)); });
    EXPECT_EQ(co_await idle.read_to_end(), "");
    EXPECT_EQ((co_await probe_tcp(endpoint, 5s)).error().kind(), ErrorKind::kRefused);
    EXPECT_EQ(stopping.running(), 1U);
    release.set();
    const std::string seen = co_await busy.read_to_end();
    EXPECT_THAT(seen, HasSubstr("Connection: close\r\n"));
    EXPECT_THAT(seen, EndsWith("finished"));
    EXPECT_TRUE((co_await stopping.join(in(5s))).has_value());
  });
}

TEST_F(ServiceServerTest, StopCancelsAHandlerThatOutlastsTheDeadline) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.access = std::nullopt});
    Event entered(io);
    bool was_cancelled = false;
    server.route("GET", "/", [&](Request) -> Awaitable<Response> {
      entered.set();
      was_cancelled = !co_await sleep_for(1h);
      co_return Response{};
    });
    RawPeer peer = co_await RawPeer::connect(server.listen(kLoopback).value());
    co_await peer.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    co_await entered.wait();
    co_await server.stop(in(10ms));
    EXPECT_TRUE(was_cancelled);
    EXPECT_EQ(co_await peer.read_to_end(), "");
    EXPECT_THAT(log_lines, ::testing::ElementsAre(HasSubstr("connections are aborted")));
  });
}

TEST_F(ServiceServerTest, AServerDestroyedWithoutStopEndsItsConnections) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    std::optional<RawPeer> peer;
    Endpoint endpoint;
    {
      ServiceServer server(io, {.access = std::nullopt});
      server.route("GET", "/", says("ok"));
      endpoint = server.listen(kLoopback).value();
      peer.emplace(co_await RawPeer::connect(endpoint));
      co_await peer->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      co_await peer->read_until("ok");
    }
    EXPECT_EQ(co_await peer->read_to_end(), "");
    EXPECT_EQ((co_await probe_tcp(endpoint, 5s)).error().kind(), ErrorKind::kRefused);
  });
}

TEST_F(ServiceServerTest, WithoutFreeDescriptorsTheServerWarnsOnceAndAcceptsLater) {
  net::io_context io;
  ServiceServer server(io, {.spare_descriptors = 0, .access = std::nullopt});
  server.route("GET", "/", says("ok"));
  const Endpoint endpoint = server.listen(kLoopback).value();
  TcpSocket caller(io, net::ip::tcp::v4());
  {
    const FewDescriptors none_left(static_cast<rlim_t>(caller.native_handle()) + 1);
    caller.connect({net::ip::address_v4::loopback(), endpoint.port});
    while (log_lines.empty()) io.run_one_for(test::kPatience);
    for (int turns = 0; turns < 3; ++turns) io.run_one_for(test::kPatience);
    EXPECT_THAT(log_lines, ::testing::ElementsAre(HasSubstr("cannot accept connections")));
  }
  const auto answer = run_task<Result<Response>>(io, [&] { return fetch(endpoint, "GET", "/"); });
  EXPECT_EQ(answer.value().body, "ok");
}

/// Who asks what is wrong is let in, one after the other, however often.
TEST_F(ServiceServerTest, WithoutFreeDescriptorsSpareOnesAcceptConnections) {
  net::io_context io;
  ServiceServer server(io, {.spare_descriptors = 1, .access = std::nullopt});
  server.route("GET", "/", says("ok"));
  const Endpoint endpoint = server.listen(kLoopback).value();
  for (int turn = 0; turn < 3; ++turn) {
    TcpSocket caller(io, net::ip::tcp::v4());
    const FewDescriptors none_left(static_cast<rlim_t>(caller.native_handle()) + 1);
    caller.connect({net::ip::address_v4::loopback(), endpoint.port});
    const std::string request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    net::write(caller, net::buffer(request));
    std::string answer;
    bool is_read = false;
    net::async_read(caller, net::dynamic_buffer(answer),
                    [&](boost::system::error_code, std::size_t) { is_read = true; });
    while (!is_read) io.run_one_for(test::kPatience);
    io.poll();  // the server takes its descriptor back before the next caller has one
    EXPECT_THAT(answer, HasSubstr("ok")) << "turn " << turn;
  }
  EXPECT_THAT(log_lines, ::testing::IsEmpty());
}

}  // namespace
}  // namespace bellows::http
