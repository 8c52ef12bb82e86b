#include "http/io/connect.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "http/io/socket_deadline.hpp"

namespace bellows::http {

namespace {

using Address = net::generic::stream_protocol::endpoint;
using Resolver = net::ip::basic_resolver<net::ip::tcp, Executor>;

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

/// A lookup that outlives whoever lost patience: getaddrinfo cannot be cancelled.
struct Lookup {
  explicit Lookup(const Executor& executor) : resolver(executor), done(executor) {}
  Resolver resolver;
  Timer done;  // runs until the deadline, cancelled by the answer
  bool is_answered = false;
  boost::system::error_code error = net::error::timed_out;
  std::vector<Address> addresses;
};

Task<Result<std::vector<Address>>> look_up(Endpoint endpoint, TimePoint deadline) {
  // Owners: this coroutine and the resolver's handler.
  const auto lookup = std::make_shared<Lookup>(co_await net::this_coro::executor);
  lookup->done.expires_at(to_steady(deadline));
  lookup->resolver.async_resolve(
      endpoint.host, std::to_string(endpoint.port), net::ip::tcp::resolver::numeric_service,
      [lookup](const boost::system::error_code& error, const Resolver::results_type& found) {
        lookup->is_answered = true;
        lookup->error = error;
        for (const auto& entry : found) lookup->addresses.emplace_back(entry.endpoint());
        lookup->done.cancel();
      });
  boost::system::error_code waited;
  co_await lookup->done.async_wait(awaiting(waited));
  lookup->resolver.cancel();
  if (waited && !lookup->is_answered) lookup->error = waited;
  if (lookup->error) co_return fail(connect_error(endpoint, lookup->error));
  co_return std::move(lookup->addresses);
}

Task<Result<std::vector<Address>>> addresses_of(Endpoint endpoint, TimePoint deadline) {
  using Addresses = std::vector<Address>;
  if (endpoint.is_unix()) {
    constexpr std::size_t kLongestPath = sizeof(sockaddr_un::sun_path) - 1;
    if (endpoint.unix_path.size() > kLongestPath) {
      co_return fail(
          ErrorKind::kInvalidSetting, to_string(endpoint),
          "the path of a Unix socket has at most " + std::to_string(kLongestPath) + " bytes");
    }
    co_return Addresses{net::local::stream_protocol::endpoint(endpoint.unix_path)};
  }
  boost::system::error_code not_literal;
  const auto literal = net::ip::make_address(endpoint.host, not_literal);
  if (!not_literal) co_return Addresses{net::ip::tcp::endpoint(literal, endpoint.port)};
  co_return co_await look_up(endpoint, deadline);
}

Task<boost::system::error_code> connect_one(StreamSocket& socket, Address address,
                                            TimePoint deadline) {
  boost::system::error_code error;
  socket.open(address.protocol(), error);
  if (error) co_return error;
  const SocketDeadline patience(socket, deadline);
  co_await socket.async_connect(address, awaiting(error));
  if (patience.has_expired()) error = net::error::timed_out;
  co_return error;
}

}  // namespace

Task<Result<StreamSocket>> connect_to(Endpoint endpoint, TimePoint deadline) {
  BELLOWS_CO_TRY(const std::vector<Address> addresses, co_await addresses_of(endpoint, deadline));
  boost::system::error_code error = net::error::host_not_found;
  for (const Address& address : addresses) {
    StreamSocket socket(co_await net::this_coro::executor);
    error = co_await connect_one(socket, address, deadline);
    if (!error) {
      prepare_socket(socket);
      co_return std::move(socket);
    }
    if (error == net::error::timed_out || error == net::error::operation_aborted) break;
  }
  co_return fail(connect_error(endpoint, error));
}

}  // namespace bellows::http
