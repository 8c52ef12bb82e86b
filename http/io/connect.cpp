#include "http/io/connect.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/sys/clock.hpp"
#include "http/io/resolve.hpp"
#include "http/io/socket_deadline.hpp"

namespace bellows::http {

namespace {

Error connect_error(const Endpoint& endpoint, const boost::system::error_code& error) {
  if (error == net::error::timed_out) {
    return Error(ErrorKind::kTimeout, to_string(endpoint), "no connection in time",
                 ErrorSide::kUpstream)
        .retryable();
  }
  Error made = net_error(to_string(endpoint), "connect", error);
  if (endpoint.is_unix() && made.kind() == ErrorKind::kNotFound)
    made = Error(ErrorKind::kRefused, made.culprit(), made.message());
  return std::move(made).on(ErrorSide::kUpstream).retryable();
}

/// Connects an unopened `socket`; returns net::error::timed_out at `deadline`.
Awaitable<boost::system::error_code> connect_one(StreamSocket& socket, SocketAddress address,
                                                 TimePoint until) {
  auto opened = open_socket(address, "socket");
  boost::system::error_code error(errno, boost::system::system_category());
  if (!opened) co_return error;
  const net::generic::stream_protocol::endpoint target(address.get(), address.size);
  socket.assign(target.protocol(), opened->get(), error);
  if (error) co_return error;
  opened->release();
  const SocketDeadline deadline(socket, until);
  co_await socket.async_connect(target, awaiting(error));
  if (deadline.has_expired()) error = net::error::timed_out;
  co_return error;
}

}  // namespace

Awaitable<Result<StreamSocket>> connect_to(Endpoint endpoint, TimePoint deadline) {
  const Duration timeout = deadline - sys::system_clock().now();
  BELLOWS_CO_TRY(const std::vector<SocketAddress> addresses, co_await resolve(endpoint, timeout));
  boost::system::error_code first_error;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const TimePoint until =
        attempt_deadline(sys::system_clock().now(), deadline, addresses.size() - i);
    StreamSocket socket(co_await net::this_coro::executor);
    const boost::system::error_code error = co_await connect_one(socket, addresses[i], until);
    if (!error) co_return std::move(socket);
    if (!first_error) first_error = error;
    if (error == net::error::operation_aborted) break;
  }
  co_return fail(connect_error(endpoint, first_error));
}

Awaitable<Result<ByteStream>> connect_stream(Endpoint endpoint, TlsContext* tls,
                                             TimePoint deadline) {
  std::unique_ptr<TlsSession> session;
  if (tls != nullptr) {
    BELLOWS_CO_TRY(session, tls->start(endpoint.is_unix() ? "localhost" : endpoint.host));
  }
  BELLOWS_CO_TRY(StreamSocket socket, co_await connect_to(endpoint, deadline));
  ByteStream stream(std::move(socket), std::move(session));
  const SocketDeadline timeout(stream.socket(), deadline);
  Result<void> done = co_await stream.handshake(to_string(endpoint));
  if (done) co_return std::move(stream);
  if (timeout.has_expired()) {
    co_return fail(Error(ErrorKind::kTimeout, to_string(endpoint), "no TLS handshake in time",
                         ErrorSide::kUpstream)
                       .retryable());
  }
  co_return fail(std::move(done).error().on(ErrorSide::kUpstream).retryable());
}

}  // namespace bellows::http
