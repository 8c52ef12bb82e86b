#include "http/io/client.hpp"

#include <utility>

#include "base/duration_text.hpp"
#include "base/sys/clock.hpp"
#include "http/io/client_connection.hpp"
#include "http/io/client_request.hpp"
#include "http/io/connect.hpp"
#include "http/io/socket_deadline.hpp"

namespace bellows::http {

namespace {

/// Reads a body that the caller ignores to its end, if that arrives soon.
Awaitable<void> drain_body(ClientConnection& connection, std::size_t max_bytes) {
  constexpr Duration kNear = std::chrono::milliseconds(20);
  const SocketDeadline deadline(connection.socket(), sys::system_clock().now() + kNear);
  const Result<std::string> ignored = co_await connection.response().read_body(max_bytes);
}

Awaitable<Result<Response>> exchange(ClientConnection& connection, std::string_view request,
                                     const std::string& method, const FetchOptions& options) {
  BELLOWS_CO_CHECKED(co_await connection.send(request));
  BELLOWS_CO_TRY(Response response, co_await connection.response().read_head(method));
  if (options.head_only) {
    co_await drain_body(connection, options.max_body_bytes);
    co_return response;
  }
  BELLOWS_CO_TRY(response.body, co_await connection.response().read_body(options.max_body_bytes));
  co_return response;
}

}  // namespace

Awaitable<Result<Response>> fetch(Endpoint endpoint, std::string method, std::string target,
                                  std::string body,
                                  std::vector<std::pair<std::string, std::string>> headers,
                                  FetchOptions options) {
  const TimePoint until = sys::system_clock().now() + options.timeout;
  const ClientRequest request{
      .method = method, .target = target, .body = std::move(body), .headers = std::move(headers)};
  BELLOWS_CO_TRY(const std::string bytes, to_bytes(request, endpoint));
  ClientConnectionOptions connecting;
  connecting.tls = options.tls;
  connecting.max_head_bytes = options.max_head_bytes;
  BELLOWS_CO_TRY(const std::unique_ptr<ClientConnection> connection,
                 co_await ClientConnection::open(endpoint, connecting, until));
  const SocketDeadline deadline(connection->socket(), until);
  Result<Response> response = co_await exchange(*connection, bytes, method, options);
  if (!response && deadline.has_expired()) {
    co_return fail(
        ErrorKind::kTimeout, to_string(endpoint),
        "no response to " + method + " " + target + " within " + duration_text(options.timeout),
        ErrorSide::kUpstream);
  }
  co_return response;
}

Awaitable<Result<void>> probe_tcp(Endpoint endpoint, Duration timeout) {
  BELLOWS_CO_TRY(const StreamSocket socket,
                 co_await connect_to(std::move(endpoint), sys::system_clock().now() + timeout));
  co_return Result<void>();
}

}  // namespace bellows::http
