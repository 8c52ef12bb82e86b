#include "queue-proxy/service/http2_check.hpp"

#include <array>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <utility>

#include "base/sys/clock.hpp"
#include "http/io/connect.hpp"
#include "http/io/socket_deadline.hpp"
#include "queue-proxy/core/http2_probe.hpp"

namespace bellows::queue_proxy {

namespace {

using Condition = std::function<bool(const Http2Answer&)>;

http::Awaitable<boost::system::error_code> send(http::StreamSocket& socket, std::string bytes) {
  boost::system::error_code error;
  co_await boost::asio::async_write(
      socket, boost::asio::buffer(bytes),
      http::net::redirect_error(http::net::use_awaitable_t<http::Executor>(), error));
  co_return error;
}

/// Reads until `is_done` returns true. It is an error if the connection ends before, or is not
/// HTTP/2.
http::Awaitable<Result<void>> read_answer(http::StreamSocket& socket, Http2Answer& answer,
                                          const Condition& is_done, const std::string& culprit) {
  std::array<char, 4096> buffer{};
  while (!is_done(answer)) {
    boost::system::error_code error;
    const std::size_t bytes = co_await socket.async_read_some(
        boost::asio::buffer(buffer),
        http::net::redirect_error(http::net::use_awaitable_t<http::Executor>(), error));
    if (error) {
      co_return fail(ErrorKind::kReset, culprit, "closed before it answered the probe",
                     ErrorSide::kUpstream);
    }
    if (!answer.feed({buffer.data(), bytes})) {
      co_return fail(ErrorKind::kMalformed, culprit, "does not answer as HTTP/2",
                     ErrorSide::kUpstream);
    }
    std::string reply = answer.take_reply();
    if (reply.empty()) continue;
    const auto failed = co_await send(socket, std::move(reply));
    if (failed) break;
  }
  co_return Result<void>();
}

/// Sends `opening` and reads the answer.
http::Awaitable<Result<void>> ask(Endpoint app, std::string opening, Duration timeout,
                                  Http2Answer& answer, Condition is_done) {
  const TimePoint deadline = sys::system_clock().now() + timeout;
  const std::string culprit = "app " + to_string(app);
  BELLOWS_CO_TRY(http::StreamSocket socket, co_await http::connect_to(std::move(app), deadline));
  const http::SocketDeadline limit(socket, deadline);
  const auto failed = co_await send(socket, std::move(opening));
  if (failed) {
    co_return fail(ErrorKind::kReset, culprit, "closed during a probe", ErrorSide::kUpstream);
  }
  auto result = co_await read_answer(socket, answer, is_done, culprit);
  if (!result && limit.has_expired()) {
    co_return fail(ErrorKind::kTimeout, culprit, "did not answer a probe by HTTP/2 in time",
                   ErrorSide::kUpstream);
  }
  co_return result;
}

}  // namespace

http::Awaitable<Result<proxy::UpstreamVersion>> ask_version(Endpoint app, Duration timeout) {
  const std::string culprit = "app " + to_string(app);
  Http2Answer answer;
  std::string greeting = http2_greeting();
  Condition is_done = [](const Http2Answer& all) { return all.speaks_http2(); };
  const auto asked =
      co_await ask(std::move(app), std::move(greeting), timeout, answer, std::move(is_done));
  if (asked) co_return proxy::UpstreamVersion::kHttp2;
  if (asked.error().kind() == ErrorKind::kMalformed) co_return proxy::UpstreamVersion::kHttp1;
  if (asked.error().kind() != ErrorKind::kTimeout) co_return fail(asked.error());
  co_return fail(ErrorKind::kTimeout, culprit, "accepts connections and gives no answer yet",
                 ErrorSide::kUpstream);
}

http::Awaitable<Result<void>> check_grpc_health(Endpoint app, std::string service,
                                                Duration timeout) {
  const std::string culprit = "app " + to_string(app);
  std::string call = health_call(to_string(app), service);
  Http2Answer answer;
  Condition is_done = [](const Http2Answer& all) { return all.health().has_value(); };
  const auto asked =
      co_await ask(std::move(app), std::move(call), timeout, answer, std::move(is_done));
  if (!asked) co_return fail(asked.error());
  if (answer.health() == Health::kServing) co_return Result<void>();
  const std::string about = service.empty() ? "" : " of " + service;
  co_return fail(
      ErrorKind::kUnavailable, culprit,
      answer.health() == Health::kNotServing
          ? "its health service reports that it is not serving" + about
          : "the call of its health service failed" + about + "; want grpc.health.v1.Health/Check",
      ErrorSide::kUpstream);
}

}  // namespace bellows::queue_proxy
