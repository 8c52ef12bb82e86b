// An API server that follows a script: it answers each request, byte by byte if it likes.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/sys/clock.hpp"
#include "http/io/bound_socket.hpp"
#include "http/io/task_group.hpp"
#include "kubernetes/io/api_client.hpp"
#include "kubernetes/io/credentials.hpp"
#include "tests/support/raw_peer.hpp"
#include "tests/support/run_task.hpp"

namespace bellows::kubernetes {

using http::Awaitable;

inline TimePoint in(Duration duration) {
  return sys::system_clock().now() + duration;
}

inline std::string whole_answer(int status, const std::string& body,
                                const std::string& headers = {}) {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: application/json\r\n" +
         headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

inline std::string status_body(int code, const std::string& reason, const std::string& message) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":")" + message +
         R"(","reason":")" + reason + R"(","code":)" + std::to_string(code) + "}";
}

/// One request as it came.
struct Asked {
  std::string head;
  std::string body;

  std::string line() const { return head.substr(0, head.find("\r\n")); }
  std::string header(const std::string& name) const {
    const std::size_t begin = head.find("\r\n" + name + ": ");
    if (begin == std::string::npos) return {};
    const std::size_t value = begin + name.size() + 4;
    return head.substr(value, head.find("\r\n", value) - value);
  }
};

/// Accepts any number of connections. `answer` gets each request with its connection.
class ScriptedApi {
 public:
  using Answer = std::function<Awaitable<void>(const Asked& asked, test::RawPeer& peer)>;

  ScriptedApi(http::net::io_context& io, Answer answer)
      : bound_(
            http::bind_and_listen({.host = "127.0.0.1", .port = 0, .unix_path = {}}, 0600).value()),
        acceptor_(io, http::net::generic::stream_protocol(AF_INET, 0), bound_.socket.release()),
        answer_(std::move(answer)),
        tasks_(io) {
    tasks_.spawn("scripted API server", [this] { return accept(); });
  }

  /// The same answers to every request, one after the other; the last one again and again.
  ScriptedApi(http::net::io_context& io, std::vector<std::string> answers)
      : ScriptedApi(io,
                    [answers = std::move(answers), next = std::size_t{0}](
                        const Asked&, test::RawPeer& peer) mutable -> Awaitable<void> {
                      const std::string answer = answers[std::min(next++, answers.size() - 1)];
                      co_await peer.send(answer);
                    }) {}

  const Endpoint& endpoint() const { return bound_.endpoint; }
  const std::vector<Asked>& asked() const { return asked_; }
  int connections() const { return connections_; }

 private:
  using Acceptor =
      http::net::basic_socket_acceptor<http::net::generic::stream_protocol, http::Executor>;

  Awaitable<void> accept() {
    for (;;) {
      auto socket = std::make_shared<http::StreamSocket>(acceptor_.get_executor());
      co_await acceptor_.async_accept(*socket, http::net::use_awaitable_t<http::Executor>{});
      ++connections_;
      tasks_.spawn("connection", [this, socket] { return serve(std::move(*socket)); });
    }
  }

  Awaitable<void> serve(http::StreamSocket socket) {
    test::RawPeer peer(std::move(socket));
    try {
      for (;;) {
        Asked asked;
        asked.head = co_await peer.read_until("\r\n\r\n");
        const std::string length = asked.header("Content-Length");
        if (!length.empty()) asked.body = co_await peer.read_exactly(std::stoul(length));
        asked_.push_back(asked);
        co_await answer_(asked, peer);
        if (!peer.socket().is_open()) co_return;
      }
    } catch (const std::runtime_error&) {  // the client has closed
    }
  }

  http::BoundSocket bound_;
  Acceptor acceptor_;
  Answer answer_;
  std::vector<Asked> asked_;
  int connections_ = 0;
  http::TaskGroup tasks_;
};

/// Credentials of a plain server, with tokens that a test replaces.
class FakeCredentials final : public Credentials {
 public:
  explicit FakeCredentials(Endpoint endpoint) {
    server_.url = "http://" + to_string(endpoint);
    server_.endpoint = std::move(endpoint);
  }

  const ApiServer& server() const override { return server_; }
  const std::string& ns() const override { return ns_; }
  const std::string& description() const override { return ns_; }
  Awaitable<Result<Access>> access(TimePoint) override {
    if (failure) co_return fail(*failure);
    Access access;
    if (!token.empty()) access.authorization = "Bearer " + token;
    co_return access;
  }
  void reject() override {
    ++rejections;
    if (!next_token.empty()) token = next_token;
  }

  std::string token;
  std::string next_token;
  int rejections = 0;
  std::optional<Error> failure;

 private:
  ApiServer server_;
  std::string ns_ = "default";
};

/// A client of a scripted server.
struct ApiWorld {
  ApiWorld(http::net::io_context& io, ScriptedApi::Answer answer, ApiClientOptions options = {})
      : api(io, std::move(answer)),
        credentials(std::make_shared<FakeCredentials>(api.endpoint())),
        client(io, credentials, random, std::move(options)) {}
  ApiWorld(http::net::io_context& io, std::vector<std::string> answers,
           ApiClientOptions options = {})
      : api(io, std::move(answers)),
        credentials(std::make_shared<FakeCredentials>(api.endpoint())),
        client(io, credentials, random, std::move(options)) {}

  ScriptedApi api;
  std::shared_ptr<FakeCredentials> credentials;  // owners: the client and the test
  SeededRandom random{1};
  ApiClient client;
};

}  // namespace bellows::kubernetes
