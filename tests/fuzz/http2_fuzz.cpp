// A peer of HTTP/2 that sends any frames in any order, while the owners of streams read, write and
// close theirs, time passes and the connection drains: no request and no response ever has another
// form than HTTP/1.1 allows, and nothing is left at the end. Both sides: servers and clients.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "http/core/head.hpp"
#include "http/h2/core/preface.hpp"
#include "http/h2/io/client_connection.hpp"
#include "http/h2/io/server_connection.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/integration/h2/frames.hpp"
#include "tests/integration/h2/memory_connection.hpp"
#include "tests/support/head_parts.hpp"
#include "tests/support/manual_clock.hpp"

namespace bellows::http2 {
namespace {

using ConnectionPtr = std::unique_ptr<http::Connection>;
using test::Input;
using Kind = http::IoResult::Kind;

/// What a peer may say in a field block, besides what the input invents.
const test::FieldPairs kFields = {{":method", "GET"},      {":method", "POST"},
                                  {":method", "CONNECT"},  {":scheme", "http"},
                                  {":authority", "a"},     {":path", "/"},
                                  {":path", "*"},          {":protocol", "websocket"},
                                  {":status", "200"},      {":status", "103"},
                                  {":status", "204"},      {":status", "101"},
                                  {"content-length", "3"}, {"content-length", "0"},
                                  {"te", "trailers"},      {"cookie", "a=b"},
                                  {"host", "a"},           {"transfer-encoding", "chunked"},
                                  {"connection", "close"}, {"expect", "100-continue"},
                                  {"x", "a\r\nb: c"},      {"X-Upper", "1"},
                                  {"grpc-status", "0"},    {"upgrade", "websocket"}};

/// What owners write: of servers and of clients.
const std::vector<std::string> kTexts = {
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n",
    "HTTP/1.1 200 OK\r\n\r\nuntil the end",
    "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n",
    "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nhello",
    "HTTP/1.1 204 No Content\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    "abc"};

/// A stream as its owner has it, and what came on it.
struct Owned {
  ConnectionPtr connection;
  std::string text;
  bool has_head = false;
};

/// What a stream knows of its head is what a reader finds.
template <class Head>
void check_known_head(const Owned& stream) {
  Head head;
  if (!stream.connection->take_head(stream.text, http::kMaxHeadLimits, head)) return;
  CHECK(test::parts_of(head) == test::parts_in<Head>(stream.text), "a known head is the one read");
}

template <class Head>
void check_head(Owned& stream) {
  check_known_head<Head>(stream);
  Head head;
  const http::HeadResult result = http::HeadParser(http::kMaxHeadLimits).read(stream.text, head);
  // CONNECT is text that the reader refuses, so that its caller gets a 501 (RFC 9113 8.5).
  const bool is_connect =
      result.is_fault() && *result.fault() == http::HeadFault::kConnectUnsupported;
  CHECK(!result.is_fault() || is_connect, "what comes on a stream is HTTP/1.1");
  stream.has_head = is_connect;
  if (!result.is_complete()) return;
  if constexpr (!Head::kIsRequest) {
    if (head.is_interim()) {
      stream.text.erase(0, head.size);
      return check_head<Head>(stream);
    }
  }
  CHECK(!(head.framing.chunked && head.framing.content_length), "a body has one framing");
  stream.has_head = true;
}

class World {
 public:
  World(bool is_server, std::size_t capacity) : is_server_(is_server) {
    auto ends = test::MemoryConnection::make_pair(faults_, capacity);
    peer_ = std::move(ends.second);
    if (is_server) {
      server_ = std::make_unique<ServerConnection>(
          reactor_, std::move(ends.first), "", limits_, counters_, "peer",
          [this](ConnectionPtr stream) {
            streams_.push_back({std::move(stream), "", false});
          },
          [this] { has_ended_ = true; });
      say(kPreface);
    } else {
      client_ = std::make_unique<ClientConnection>(reactor_, std::move(ends.first), "http", limits_,
                                                   counters_, "peer", [] {});
    }
  }

  void run(Input& input) {
    constexpr int kMostSteps = 400;
    for (int steps = 0; !input.is_empty() && steps < kMostSteps; ++steps) step(input);
  }

  /// In the order in which a program ends, or in the other one.
  void end(bool streams_first) {
    is_slow_ = false;
    if (streams_first) streams_.clear();
    server_.reset();
    client_.reset();
    settle();
    for (Owned& stream : streams_) read(stream);
    streams_.clear();
    settle();
    peer_.reset();
    CHECK(reactor_.buffers().borrowed() == 0, "all memory was given back");
  }

 private:
  void step(Input& input) {
    const std::uint8_t what = input.byte();
    switch (what % 14) {
      case 0:
        return say(input.bytes(input.byte()));
      case 1:
        return say_frame(input);
      case 2:
      case 3:
        return say_headers(input);
      case 4:
        if (Owned* const stream = choose(input)) read(*stream);
        return;
      case 5:
        return write(input);
      case 6:
        return close(input, false);
      case 7:
        return close(input, true);
      case 8:
        clock_.advance(std::chrono::milliseconds(100) * input.byte());
        reactor_.tick();
        return settle();
      case 9:
        return drain(input);
      case 10:
        return open();
      case 11:
        return listen();
      case 12:
        return work(1 + input.byte() % 4);
      default:
        is_slow_ = !is_slow_;
        return settle();
    }
  }
  /// Owners and peer also act between two handlers of the loop: a request may be cancelled before
  /// it was written.
  void settle() {
    while (!is_slow_ && io_.poll() != 0) {
    }
  }
  void work(int handlers) {
    while (handlers-- > 0 && io_.poll_one() != 0) {
    }
  }
  void say(std::string_view bytes) {
    peer_->try_write(bytes);
    settle();
  }
  void say_frame(Input& input) {
    const std::uint8_t type = input.byte() % 12;
    const std::uint8_t flags = input.byte();
    const std::uint8_t stream = input.byte() % 16;
    say(test::frame(type, flags, stream, input.bytes(input.byte() % 64)));
  }
  void say_headers(Input& input) {
    const std::uint8_t stream = input.byte() % 16;
    const bool ends = (input.byte() & 1U) != 0;
    test::FieldPairs fields;
    for (int left = input.byte() % 8; left > 0; --left) {
      fields.push_back(kFields[input.byte() % kFields.size()]);
    }
    say(test::headers(stream, fields, ends));
  }
  Owned* choose(Input& input) {
    return streams_.empty() ? nullptr : &streams_[input.byte() % streams_.size()];
  }
  void read(Owned& stream) {
    char piece[700];
    for (;;) {
      const http::IoResult got = stream.connection->try_read(piece, sizeof piece);
      if (got.kind != Kind::kBytes) return settle();
      if (stream.has_head) continue;
      stream.text.append(piece, got.bytes);
      is_server_ ? check_head<http::RequestHead>(stream) : check_head<http::ResponseHead>(stream);
    }
  }
  void write(Input& input) {
    Owned* const stream = choose(input);
    const std::string& text = kTexts[input.byte() % kTexts.size()];
    const bool knows_parts = (input.byte() & 1U) != 0;
    if (stream != nullptr && !(knows_parts && write_known(*stream, text))) {
      stream->connection->try_write(std::string_view(text));
    }
    settle();
  }
  bool write_known(Owned& stream, std::string_view text) {
    return is_server_ ? write_head<http::ResponseHead>(stream, text)
                      : write_head<http::RequestHead>(stream, text);
  }
  /// False if the text is no message from its begin, or an upgrade.
  template <class Head>
  bool write_head(Owned& stream, std::string_view text) {
    Head head;
    if (!http::HeadParser().read(text, head).is_complete() || head.connection.upgrade) return false;
    if constexpr (!Head::kIsRequest) {
      if (head.is_interim()) return false;
    }
    std::string bytes(text);
    const iovec parts[2] = {{bytes.data(), head.size},
                            {bytes.data() + head.size, bytes.size() - head.size}};
    stream.connection->try_write_head(head, parts, 2);
    return true;
  }
  void close(Input& input, bool is_abort) {
    if (streams_.empty()) return;
    const auto at = static_cast<std::ptrdiff_t>(input.byte() % streams_.size());
    if (is_abort) {
      streams_[static_cast<std::size_t>(at)].connection->abort();
    } else {
      streams_[static_cast<std::size_t>(at)].connection->shutdown_write();
    }
    streams_.erase(streams_.begin() + at);
    settle();
  }
  void drain(Input& input) {
    const bool is_close = input.byte() > 200;
    if (server_) is_close ? server_->close() : server_->drain();
    if (client_) is_close ? client_->close() : client_->drain();
    settle();
  }
  void open() {
    if (client_ && client_->may_open()) streams_.push_back({client_->open_stream(), "", false});
    settle();
  }
  void listen() {
    char piece[4096];
    while (peer_->try_read(piece, sizeof piece).kind == Kind::kBytes) {
    }
    settle();
  }

  const bool is_server_;
  http::net::io_context io_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  test::ManualClock clock_;
  http::Reactor reactor_{io_, clock_};
  Limits limits_{.max_streams = 5, .stream_window = 200};
  AbuseCounters counters_;
  test::Faults faults_;
  std::unique_ptr<test::MemoryConnection> peer_;
  std::unique_ptr<ServerConnection> server_;
  std::unique_ptr<ClientConnection> client_;
  std::vector<Owned> streams_;
  bool has_ended_ = false;
  bool is_slow_ = false;  // handlers run when the input says so, not after each step
};

}  // namespace
}  // namespace bellows::http2

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  bellows::test::Input input = bellows::test::input_after(1, data, size);
  const std::uint8_t how = data[0];
  bellows::http2::World world((how & 1U) != 0, (how & 2U) != 0 ? 600 : std::size_t{1} << 20U);
  world.run(input);
  world.end((how & 4U) != 0);
  return 0;
}
