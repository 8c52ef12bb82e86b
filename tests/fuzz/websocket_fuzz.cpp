// Whatever arrives behind a WebSocket handshake ends in whole messages within the limit and then in
// an error that says why; where it is cut on its way changes nothing.
#include <sys/socket.h>

#include <boost/asio/co_spawn.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.hpp"
#include "http/io/websocket_accept.hpp"

namespace bellows::http {
namespace {

constexpr std::size_t kLargestMessage = 512;

/// What the reader made of the bytes.
struct Seen {
  std::vector<std::string> messages;
  std::string error;  ///< why nothing more came
  bool is_over = false;
  bool operator==(const Seen&) const = default;
};

Request handshake() {
  Request request;
  request.method = "GET";
  request.path = "/";
  request.headers = {{"Host", "a"},
                     {"Connection", "Upgrade"},
                     {"Upgrade", "websocket"},
                     {"Sec-WebSocket-Version", "13"},
                     {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}};
  return request;
}

Task<void> read_all(StreamSocket socket, Seen& seen) {
  const WebSocketOptions options{.max_message_bytes = kLargestMessage};
  auto accepted = co_await accept_websocket(std::move(socket), handshake(), options);
  CHECK(accepted.has_value(), "a good handshake is accepted");
  while (!seen.is_over) {
    Result<std::string> message = co_await (*accepted)->read();
    if (message) {
      CHECK(message->size() <= kLargestMessage, "the limit holds");
      seen.messages.push_back(std::move(*message));
      continue;
    }
    CHECK(!message.error().culprit().empty(), "an error names its culprit");
    CHECK(!message.error().message().empty(), "an error says what is wrong");
    seen.error = message.error().message();
    seen.is_over = true;
  }
}

void say(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) return;  // the reader has closed: it has seen enough
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

/// The first `cut` bytes arrive, then the rest, then the end.
Seen read_in_two(std::string_view bytes, std::size_t cut) {
  int ends[2];
  CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "there is a socket");
  Seen seen;
  net::io_context io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  StreamSocket socket(io);
  socket.assign(net::generic::stream_protocol(AF_UNIX, 0), ends[1]);
  net::co_spawn(io, read_all(std::move(socket), seen), [](const std::exception_ptr& thrown) {
    if (thrown) std::rethrow_exception(thrown);
  });
  say(ends[0], bytes.substr(0, cut));
  io.poll();
  say(ends[0], bytes.substr(cut));
  ::shutdown(ends[0], SHUT_WR);
  io.run();
  ::close(ends[0]);
  CHECK(seen.is_over, "the end of the bytes is the end of reading");
  return seen;
}

void fuzz(std::string_view bytes, std::size_t cut) {
  const Seen whole = read_in_two(bytes, bytes.size());
  const Seen in_two = read_in_two(bytes, cut);
  CHECK(whole.messages == in_two.messages, "a cut does not change the messages");
  CHECK(whole == in_two, "a cut does not change the reason");
}

}  // namespace
}  // namespace bellows::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 100'000) return 0;  // more would not fit into the socket
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  bellows::http::fuzz(bytes, bytes.empty() ? 0 : data[0] % bytes.size());
  return 0;
}
