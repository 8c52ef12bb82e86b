#include "http/io/client.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/support/raw_peer.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_peer.hpp"

namespace bellows::http {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;
using test::RawPeer;
using test::run_task;
using test::ScriptedServer;
using namespace std::chrono_literals;

/// Reads one request, stores it, and sends `response`.
ScriptedServer::Script responds(std::string response, std::string* request = nullptr) {
  return [response = std::move(response), request](RawPeer& peer) -> Awaitable<void> {
    const std::string head = co_await peer.read_until("\r\n\r\n");
    if (request != nullptr) *request = head;
    co_await peer.send(response);
  };
}

Awaitable<Error> error_of(Awaitable<Result<Response>> call) {
  Result<Response> result = co_await std::move(call);
  if (result) throw std::logic_error("a response instead of an error: " + result->body);
  co_return result.error();
}

/// An address where nobody listens: one that was just closed.
Endpoint deserted() {
  const Endpoint any{.host = "127.0.0.1", .port = 0, .unix_path = {}};
  return bind_and_listen(any, 0600).value().endpoint;
}

TEST(Fetch, ASmallResponseIsReturnedWhole) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    std::string request;
    const ScriptedServer server(
        io, responds("HTTP/1.1 201 Created\r\nContent-Type: text/html\r\nX-Boot: 7\r\n"
                     "Content-Length: 5\r\n\r\nhello",
                     &request));
    const Result<Response> got = co_await fetch(server.endpoint(), "GET", "/status?wide=1");
    const Response& response = got.value();
    EXPECT_EQ(response.status, 201);
    EXPECT_EQ(response.content_type, "text/html");
    EXPECT_EQ(response.body, "hello");
    const std::pair<std::string, std::string> boot{"X-Boot", "7"};
    EXPECT_NE(std::find(response.headers.begin(), response.headers.end(), boot),
              response.headers.end());
    EXPECT_TRUE(request.starts_with("GET /status?wide=1 HTTP/1.1\r\n")) << request;
    EXPECT_NE(request.find("\r\nHost: " + to_string(server.endpoint()) + "\r\n"),
              std::string::npos);
    EXPECT_NE(request.find("\r\nConnection: close\r\n"), std::string::npos);
  });
}

TEST(Fetch, ABodyIsSentAsJsonUnlessTheCallerNamesItsType) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    std::string request;
    const ScriptedServer server(io,
                                responds("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", &request));
    co_await fetch(server.endpoint(), "POST", "/a", "{}");
    EXPECT_NE(request.find("\r\nContent-Type: application/json\r\n"), std::string::npos);
    EXPECT_NE(request.find("\r\nContent-Length: 2\r\n"), std::string::npos);
    const Headers plain{{"Content-Type", "text/plain"}};
    co_await fetch(server.endpoint(), "POST", "/a", "x", plain);
    EXPECT_NE(request.find("\r\nContent-Type: text/plain\r\n"), std::string::npos);
    EXPECT_EQ(request.find("application/json"), std::string::npos);
  });
}

TEST(Fetch, ChunksACloseDelimitedBodyAndAnInterimResponseAreRead) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const ScriptedServer chunked(io,
                                 responds("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                          "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"));
    EXPECT_EQ((co_await fetch(chunked.endpoint(), "GET", "/")).value().body, "abcde");
    const ScriptedServer closing(io, responds("HTTP/1.0 200 OK\r\n\r\nuntil the end"));
    EXPECT_EQ((co_await fetch(closing.endpoint(), "GET", "/")).value().body, "until the end");
    const ScriptedServer hinting(io, responds("HTTP/1.1 103 Early Hints\r\n\r\n"
                                              "HTTP/1.1 204 No Content\r\n\r\n"));
    EXPECT_EQ((co_await fetch(hinting.endpoint(), "GET", "/")).value().status, 204);
  });
}

TEST(Fetch, TheResponseToHeadHasNoBodyWhateverItsLength) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const ScriptedServer server(io, responds("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"));
    EXPECT_EQ((co_await fetch(server.endpoint(), "HEAD", "/")).value().body, "");
  });
}

TEST(Fetch, ARefusedConnectionNamesTheAddressAndIsRetryable) {
  run_task([](net::io_context&) -> Awaitable<void> {
    const Endpoint nobody = deserted();
    const Error error = co_await error_of(fetch(nobody, "GET", "/"));
    EXPECT_EQ(error.kind(), ErrorKind::kRefused);
    EXPECT_EQ(error.culprit(), to_string(nobody));
    EXPECT_EQ(error.side(), ErrorSide::kUpstream);
    EXPECT_TRUE(error.may_retry());
    const Endpoint missing{.host = {}, .port = 0, .unix_path = "/nonexistent/bellows.sock"};
    EXPECT_EQ((co_await error_of(fetch(missing, "GET", "/"))).kind(), ErrorKind::kRefused);
  });
}

TEST(Fetch, AnUnknownHostIsNotFound) {
  run_task([](net::io_context&) -> Awaitable<void> {
    const Endpoint unknown{.host = "no-such-host.invalid", .port = 80, .unix_path = {}};
    const Error error = co_await error_of(fetch(unknown, "GET", "/", {}, {}, {.timeout = 5s}));
    EXPECT_TRUE(error.kind() == ErrorKind::kNotFound || error.kind() == ErrorKind::kTimeout)
        << to_string(error);
    EXPECT_EQ(error.culprit(), "no-such-host.invalid:80");
  });
}

TEST(Fetch, AServerThatDoesNotRespondIsATimeOutThatNamesTheCall) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const ScriptedServer server(
        io, [](RawPeer& peer) -> Awaitable<void> { co_await peer.read_to_end(); });
    const Error error =
        co_await error_of(fetch(server.endpoint(), "GET", "/slow", {}, {}, {.timeout = 20ms}));
    EXPECT_EQ(error.kind(), ErrorKind::kTimeout);
    EXPECT_EQ(to_string(error),
              to_string(server.endpoint()) + ": no response to GET /slow within 20ms");
  });
}

TEST(Fetch, OneTimeOutCoversTheWholeCallEvenIfHeaderLinesKeepArriving) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const ScriptedServer server(io, [](RawPeer& peer) -> Awaitable<void> {
      co_await peer.send("HTTP/1.1 200 OK\r\n");
      while (co_await peer.send("X-More: 1\r\n")) co_await sleep_for(2ms);
    });
    const Error error =
        co_await error_of(fetch(server.endpoint(), "GET", "/", {}, {}, {.timeout = 30ms}));
    EXPECT_EQ(error.kind(), ErrorKind::kTimeout);
  });
}

TEST(Fetch, AServerThatClosesInTheMiddleIsAReset) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const char* const cut_answers[] = {
        "", "HTTP/1.1 200 OK\r\nConte", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"};
    for (const char* const cut : cut_answers) {
      const ScriptedServer server(io, responds(cut));
      const Error error = co_await error_of(fetch(server.endpoint(), "GET", "/"));
      EXPECT_EQ(error.kind(), ErrorKind::kReset) << cut << to_string(error);
      EXPECT_FALSE(error.may_retry());
    }
  });
}

TEST(Fetch, AResponseThatIsNotHttpIsMalformed) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const ScriptedServer server(io, responds("SSH-2.0-OpenSSH_9.2\r\n\r\n"));
    EXPECT_EQ((co_await error_of(fetch(server.endpoint(), "GET", "/"))).kind(),
              ErrorKind::kMalformed);
  });
}

TEST(Fetch, ABodyOverTheLimitIsTooLargeAnnouncedOrNot) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const ScriptedServer announced(io,
                                   responds("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345"));
    const ScriptedServer unannounced(
        io,
        responds("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n"));
    const FetchOptions exact{.timeout = 5s, .max_body_bytes = 5};
    const FetchOptions small{.timeout = 5s, .max_body_bytes = 4};
    for (const ScriptedServer* server : {&announced, &unannounced}) {
      EXPECT_EQ((co_await fetch(server->endpoint(), "GET", "/", {}, {}, exact)).value().body,
                "12345");
      EXPECT_EQ((co_await error_of(fetch(server->endpoint(), "GET", "/", {}, {}, small))).kind(),
                ErrorKind::kTooLarge);
    }
  });
}

/// Sends `head` and then a body without end, until the other side closes.
ScriptedServer::Script never_ends(std::string head) {
  return [head = std::move(head)](RawPeer& peer) -> Awaitable<void> {
    co_await peer.read_until("\r\n\r\n");
    bool is_open = co_await peer.send(head);
    const std::string more(4096, 'x');
    while (is_open) is_open = co_await peer.send(more);
  };
}

TEST(Fetch, ForAHeadOnlyCallTheBodyIsNotAwaitedHoweverLarge) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const ScriptedServer large(io, responds("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" +
                                            std::string(100000, 'x')));
    const ScriptedServer endless(
        io, never_ends("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"));
    const ScriptedServer silent(io, [](RawPeer& peer) -> Awaitable<void> {
      co_await peer.send("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nX-Boot: 7\r\n\r\n");
      co_await peer.read_to_end();
    });
    const FetchOptions head{.timeout = 5s, .max_body_bytes = 10, .head_only = true};
    for (const ScriptedServer* server : {&large, &endless, &silent}) {
      const Result<Response> got = co_await fetch(server->endpoint(), "GET", "/", {}, {}, head);
      if (!got) throw std::runtime_error(to_string(got.error()));
      EXPECT_EQ(got->status, 200);
      EXPECT_EQ(got->body, "");
    }
  });
}

TEST(Fetch, AServerIsNotDisconnectedWhileItSendsASmallUnusedBody) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    boost::system::error_code end;
    AsioTimer ended(io, AsioTimer::time_point::max());
    const ScriptedServer server(io, [&](RawPeer& peer) -> Awaitable<void> {
      co_await peer.read_until("\r\n\r\n");
      co_await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n");
      co_await peer.send("body");
      char byte = 0;
      co_await peer.socket().async_read_some(net::buffer(&byte, 1), awaiting(end));
      ended.cancel();
    });
    co_await fetch(server.endpoint(), "GET", "/", {}, {}, {.timeout = 5s, .head_only = true});
    boost::system::error_code cancelled;
    co_await ended.async_wait(awaiting(cancelled));
    EXPECT_EQ(end, net::error::eof);
  });
}

TEST(Fetch, AHeadOfUpTo32KbIsReadAndALargerOneIsTooLarge) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const auto head_of = [](std::size_t fields) {
      std::string head = "HTTP/1.1 204 No Content\r\n";
      for (std::size_t i = 0; i < fields; ++i) head += "X-Long: " + std::string(990, 'x') + "\r\n";
      return head + "\r\n";
    };
    const ScriptedServer large(io, responds(head_of(32)));
    EXPECT_EQ((co_await fetch(large.endpoint(), "GET", "/")).value().status, 204);
    const ScriptedServer too_large(io, responds(head_of(34)));
    EXPECT_EQ((co_await error_of(fetch(too_large.endpoint(), "GET", "/"))).kind(),
              ErrorKind::kTooLarge);
  });
}

TEST(Fetch, ATargetOrHeaderThatWouldSplitTheRequestIsNotSent) {
  run_task([](net::io_context&) -> Awaitable<void> {
    const Endpoint nobody = deserted();
    for (const char* const target : {"", "status", "/a b", "/a\r\nX: y"}) {
      EXPECT_EQ((co_await error_of(fetch(nobody, "GET", target))).kind(),
                ErrorKind::kInvalidSetting)
          << target;
    }
    const Headers splitting_value{{"X", "a\r\nY: b"}};
    const Headers splitting_name{{"X: y", "a"}};
    for (const Headers& headers : {splitting_value, splitting_name}) {
      EXPECT_EQ((co_await error_of(fetch(nobody, "GET", "/", {}, headers))).kind(),
                ErrorKind::kInvalidSetting);
    }
  });
}

TEST(Fetch, AUnixSocketWorksAsWell) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const test::TemporaryFolder folder;
    const Endpoint endpoint{.host = {}, .port = 0, .unix_path = folder.path("api.sock")};
    std::string request;
    const ScriptedServer server(
        io, responds("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", &request), endpoint);
    EXPECT_EQ((co_await fetch(endpoint, "GET", "/")).value().body, "hi");
    EXPECT_NE(request.find("\r\nHost: localhost\r\n"), std::string::npos);
  });
}

TEST(ProbeTcp, SucceedsOnlyIfAProcessListens) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const ScriptedServer server(
        io, [](RawPeer& peer) -> Awaitable<void> { co_await peer.read_to_end(); });
    EXPECT_TRUE((co_await probe_tcp(server.endpoint(), 5s)).has_value());
    const Result<void> nobody = co_await probe_tcp(deserted(), 5s);
    if (nobody) throw std::logic_error("a process listens on a closed port");
    EXPECT_EQ(nobody.error().kind(), ErrorKind::kRefused);
  });
}

TEST(ProbeTcp, NamesAreResolved) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const ScriptedServer server(
        io, [](RawPeer& peer) -> Awaitable<void> { co_await peer.read_to_end(); });
    const Endpoint by_name{.host = "localhost", .port = server.endpoint().port, .unix_path = {}};
    EXPECT_TRUE((co_await probe_tcp(by_name, 5s)).has_value());
  });
}

TEST(ProbeTcp, AnAppThatListensOnTheSecondAddressOfItsNameIsReady) {
  run_task([](net::io_context&) -> Awaitable<void> {
    const test::TestListener ipv6(test::loopback6(0));
    const Endpoint by_name{.host = "localhost", .port = ipv6.port(), .unix_path = {}};
    EXPECT_TRUE((co_await probe_tcp(by_name, 5s)).has_value());
  });
}

TEST(ProbeTcp, AFullBacklogIsATimeOut) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    // A listener that never accepts, with a queue of one: later handshakes stay incomplete.
    net::basic_socket_acceptor<net::ip::tcp, Executor> acceptor(
        io, net::ip::tcp::endpoint(net::ip::address_v4::loopback(), 0));
    acceptor.listen(0);
    const Endpoint endpoint{
        .host = "127.0.0.1", .port = acceptor.local_endpoint().port(), .unix_path = {}};
    std::vector<StreamSocket> held;
    for (;;) {
      Result<StreamSocket> socket = co_await connect_to(endpoint, sys::system_clock().now() + 30ms);
      if (!socket) {
        EXPECT_EQ(socket.error().kind(), ErrorKind::kTimeout);
        EXPECT_TRUE(socket.error().may_retry());
        break;
      }
      held.push_back(std::move(*socket));
      if (held.size() > 50) throw std::logic_error("the backlog never fills");
    }
  });
}

}  // namespace
}  // namespace bellows::http
