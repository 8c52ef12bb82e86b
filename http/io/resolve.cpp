#include "http/io/resolve.hpp"

#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstring>

namespace bellows::http {

Task<Result<SocketAddress>> resolve(Endpoint endpoint) {
  if (const auto literal = literal_address(endpoint)) co_return *literal;
  net::ip::basic_resolver<net::ip::tcp, Executor> resolver(co_await net::this_coro::executor);
  boost::system::error_code error;
  const auto found =
      co_await resolver.async_resolve(endpoint.host, std::to_string(endpoint.port),
                                      net::redirect_error(net::use_awaitable_t<Executor>(), error));
  if (error || found.empty()) {
    co_return fail(ErrorKind::kNotFound, to_string(endpoint),
                   "the host cannot be resolved: " + error.message());
  }
  SocketAddress address;
  address.size = static_cast<socklen_t>(found.begin()->endpoint().size());
  std::memcpy(&address.storage, found.begin()->endpoint().data(), address.size);
  co_return address;
}

}  // namespace bellows::http
