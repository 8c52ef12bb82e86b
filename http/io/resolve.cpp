#include "http/io/resolve.hpp"

#include <sys/un.h>

#include <atomic>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/this_coro.hpp>
#include <cstring>
#include <memory>

namespace bellows::http {

namespace {

using Resolver = net::ip::basic_resolver<net::ip::tcp, Executor>;

SocketAddress address_of(const net::ip::tcp::endpoint& found) {
  SocketAddress address;
  address.size = static_cast<socklen_t>(found.size());
  std::memcpy(&address.storage, found.data(), address.size);
  return address;
}

/// A look-up that may outlive a caller after its timeout, because getaddrinfo cannot be cancelled.
struct Lookup {
  explicit Lookup(const Executor& executor) : resolver(executor), done(executor) {}
  Resolver resolver;
  AsioTimer done;  // expires at the timeout, cancelled by the result
  bool has_result = false;
  boost::system::error_code error;
  std::vector<SocketAddress> addresses;
};

std::atomic<std::size_t> lookups_under_way = 0;  // changed by any io thread

Error lookup_error(const Endpoint& endpoint, const Lookup& lookup) {
  const bool is_in_time = lookup.has_result;
  Error error(is_in_time ? ErrorKind::kNotFound : ErrorKind::kTimeout, to_string(endpoint),
              is_in_time ? "the host cannot be resolved: " + lookup.error.message()
                         : "the host was not resolved in time",
              ErrorSide::kUpstream);
  return std::move(error).retryable();
}

Awaitable<Result<std::vector<SocketAddress>>> look_up(Endpoint endpoint, Duration timeout) {
  // Owners: this coroutine and the resolver's handler.
  const auto lookup = std::make_shared<Lookup>(co_await net::this_coro::executor);
  lookup->done.expires_after(timeout);
  ++lookups_under_way;
  lookup->resolver.async_resolve(
      endpoint.host, std::to_string(endpoint.port), Resolver::numeric_service,
      [lookup](const boost::system::error_code& error, const Resolver::results_type& found) {
        --lookups_under_way;
        lookup->has_result = true;
        lookup->error = error;
        for (const auto& entry : found) lookup->addresses.push_back(address_of(entry.endpoint()));
        lookup->done.cancel();
      });
  boost::system::error_code waited;
  co_await lookup->done.async_wait(awaiting(waited));
  lookup->resolver.cancel();
  if (lookup->addresses.empty()) co_return fail(lookup_error(endpoint, *lookup));
  co_return std::move(lookup->addresses);
}

Error long_path_error(const Endpoint& endpoint) {
  constexpr std::size_t kMaxPathBytes = sizeof(sockaddr_un::sun_path) - 1;
  return {ErrorKind::kInvalidSetting, to_string(endpoint),
          "the path of a Unix socket has at most " + std::to_string(kMaxPathBytes) + " bytes"};
}

}  // namespace

std::size_t pending_lookups() {
  return lookups_under_way;
}

Result<SocketAddress> listening_address(const Endpoint& endpoint) {
  if (const auto known = literal_address(endpoint)) return *known;
  if (endpoint.is_unix()) return fail(long_path_error(endpoint));
  net::io_context io;
  Resolver resolver(io.get_executor());
  boost::system::error_code error;
  const auto found = resolver.resolve(endpoint.host, std::to_string(endpoint.port),
                                      Resolver::passive | Resolver::numeric_service, error);
  if (error || found.empty()) {
    return fail(ErrorKind::kNotFound, to_string(endpoint),
                "the host to listen on cannot be resolved: " + error.message());
  }
  return address_of(found.begin()->endpoint());
}

Awaitable<Result<std::vector<SocketAddress>>> resolve(Endpoint endpoint, Duration timeout) {
  std::vector<SocketAddress> known = literal_addresses(endpoint);
  if (!known.empty()) co_return known;
  if (endpoint.is_unix()) co_return fail(long_path_error(endpoint));
  co_return co_await look_up(std::move(endpoint), timeout);
}

TimePoint attempt_deadline(TimePoint now, TimePoint deadline, std::size_t left) {
  return now + (deadline - now) / static_cast<Duration::rep>(left);
}

}  // namespace bellows::http
