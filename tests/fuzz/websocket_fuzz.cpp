// The bytes after a WebSocket handshake give whole messages within the limit and then an error with
// a reason, with the same result wherever they are split. A server reads masked frames, a client
// unmasked ones.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/beast/websocket/detail/hybi13.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.hpp"
#include "http/io/websocket_accept.hpp"

namespace bellows::http {
namespace {

constexpr std::size_t kLargestMessage = 512;

/// The result of reading.
struct Seen {
  std::vector<std::string> messages;
  std::string error;  ///< the reason for the end
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

const WebSocketOptions kOptions{.max_message_bytes = kLargestMessage};

Awaitable<void> read_all(WebSocket& websocket, Seen& seen) {
  while (!seen.is_over) {
    Result<std::string> message = co_await websocket.read();
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

Awaitable<void> read_as_server(StreamSocket socket, Seen& seen) {
  auto accepted = co_await accept_websocket(ByteStream(std::move(socket)), handshake(), kOptions);
  CHECK(accepted.has_value(), "a valid handshake is accepted");
  co_await read_all(**accepted, seen);
}

/// A Unix socket in a folder of its own, for clients.
class Listening {
 public:
  Listening() {
    CHECK(::mkdtemp(folder_) != nullptr, "there is a folder");
    path_ = std::string(folder_) + "/socket";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    CHECK(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "bound");
    CHECK(::listen(fd_, 1) == 0, "listens");
  }
  ~Listening() {
    ::unlink(path_.c_str());
    ::rmdir(folder_);
    ::close(fd_);
  }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

  Endpoint endpoint() const { return {.host = {}, .port = 0, .unix_path = path_}; }
  int accept() const { return ::accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); }

 private:
  char folder_[28] = "/tmp/websocket_fuzz_XXXXXX";
  std::string path_;
  int fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
};

Awaitable<void> read_as_client(Endpoint endpoint, Seen& seen) {
  auto connected = co_await connect_websocket(std::move(endpoint), "/", kOptions);
  CHECK(connected.has_value(), "a valid response opens a WebSocket");
  co_await read_all(**connected, seen);
}

/// The server's handshake response to the client's request.
std::string handshake_response(std::string_view request) {
  constexpr std::string_view kKey = "Sec-WebSocket-Key: ";
  constexpr std::size_t kKeySize = 24;
  const std::size_t at = request.find(kKey);
  CHECK(at != std::string_view::npos, "a client sends its key");
  boost::beast::websocket::detail::sec_ws_accept_type accept;
  boost::beast::websocket::detail::make_sec_ws_accept(accept,
                                                      request.substr(at + kKey.size(), kKeySize));
  return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
         "Sec-WebSocket-Accept: " +
         std::string(accept.data(), accept.size()) + "\r\n\r\n";
}

void send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) return;  // the reader has closed the connection
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void rethrow(const std::exception_ptr& thrown) {
  if (thrown) std::rethrow_exception(thrown);
}

/// The first `cut` bytes arrive, then the rest, then the end.
void send_in_two(net::io_context& io, int fd, std::string_view bytes, std::size_t cut) {
  send_all(fd, bytes.substr(0, cut));
  io.poll();
  send_all(fd, bytes.substr(cut));
  ::shutdown(fd, SHUT_WR);
  io.run();
  ::close(fd);
}

Seen seen_by_server(std::string_view bytes, std::size_t cut) {
  int ends[2];
  CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "there is a socket");
  Seen seen;
  net::io_context io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  StreamSocket socket(io);
  socket.assign(net::generic::stream_protocol(AF_UNIX, 0), ends[1]);
  net::co_spawn(io, read_as_server(std::move(socket), seen), rethrow);
  send_in_two(io, ends[0], bytes, cut);
  CHECK(seen.is_over, "reading ends with the bytes");
  return seen;
}

Seen seen_by_client(std::string_view bytes, std::size_t cut) {
  static const Listening listening;
  Seen seen;
  net::io_context io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  net::co_spawn(io, read_as_client(listening.endpoint(), seen), rethrow);
  int fd = -1;
  while (fd < 0) {
    io.poll();
    fd = listening.accept();
  }
  std::string request;
  while (!request.ends_with("\r\n\r\n")) {
    io.poll();
    char part[1024];
    const ssize_t got = ::recv(fd, part, sizeof part, 0);
    if (got > 0) request.append(part, static_cast<std::size_t>(got));
  }
  send_all(fd, handshake_response(request));
  send_in_two(io, fd, bytes, cut);
  CHECK(seen.is_over, "reading ends with the bytes");
  return seen;
}

void fuzz(std::string_view bytes, std::size_t cut) {
  for (const auto seen_by : {seen_by_server, seen_by_client}) {
    const Seen whole = seen_by(bytes, bytes.size());
    const Seen in_two = seen_by(bytes, cut);
    CHECK(whole.messages == in_two.messages, "a split does not change the messages");
    CHECK(whole == in_two, "a split does not change the reason");
  }
}

}  // namespace
}  // namespace bellows::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 100'000) return 0;  // more would not fit into the socket
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  bellows::http::fuzz(bytes, bytes.empty() ? 0 : data[0] % bytes.size());
  return 0;
}
