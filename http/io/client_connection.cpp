#include "http/io/client_connection.hpp"

#include <utility>

#include "http/io/address.hpp"
#include "http/io/connect.hpp"

namespace bellows::http {

Awaitable<Result<std::unique_ptr<ClientConnection>>> ClientConnection::open(
    Endpoint endpoint, ClientConnectionOptions options, TimePoint deadline) {
  BELLOWS_CO_TRY(ByteStream stream, co_await connect_stream(endpoint, options.tls, deadline));
  if (options.dead_after > Duration::zero() && !endpoint.is_unix()) {
    set_dead_after(stream.socket().native_handle(), options.dead_after);
  }
  co_return std::make_unique<ClientConnection>(std::move(stream), to_string(endpoint),
                                               options.max_head_bytes);
}

ClientConnection::ClientConnection(ByteStream stream, std::string peer, std::size_t max_head_bytes)
    : peer_(std::move(peer)),
      stream_(std::move(stream)),
      response_(stream_, peer_, max_head_bytes) {}

Awaitable<Result<void>> ClientConnection::send(std::string_view request) {
  const boost::system::error_code error = co_await write_all(stream_, request);
  if (error) co_return fail(net_error(peer_, "send the request", error).on(ErrorSide::kUpstream));
  co_return Result<void>();
}

}  // namespace bellows::http
