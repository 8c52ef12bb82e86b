// Callers and apps on both sides of a whole proxy: sessions, limiter, forwarder, pool, HTTP/1.1 and
// HTTP/2. Callers leave at any byte, apps answer late or never, also what was cancelled, two and
// more sessions back to back share a connection of HTTP/2 to the app; time passes and the server
// drains. Nothing is left at the end.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "http/h2/core/preface.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/integration/h2/frames.hpp"
#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using test::frame;
using test::headers;
using test::TestPeer;

const test::FieldPairs kFields = {
    {":method", "POST"}, {":scheme", "http"}, {":authority", "a"}, {":path", "/a"}};
const test::FieldPairs kConnect = {{":method", "CONNECT"},     {":scheme", "http"},
                                   {":authority", "a"},        {":path", "/a"},
                                   {":protocol", "websocket"}, {"sec-websocket-version", "13"}};
const std::string kHello = std::string(http2::kPreface) + frame(test::kSettings, 0, 0);

std::string hex(std::size_t value) {
  std::array<char, 16> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.end(), value, 16).ptr};
}

/// Chunks of up to 64 KiB together, and trailers: more than the output buffer of a connection.
std::string large_body(std::uint8_t which) {
  const std::size_t size = std::size_t{which & 15U} * 4'369;
  std::string all;
  for (std::size_t left = size; left > 0;) {
    const std::size_t part = std::min<std::size_t>(left, 0x4000);
    all += hex(part) + "\r\n" + std::string(part, 'x') + "\r\n";
    left -= part;
  }
  return all + "0\r\nX-Sum: " + std::string(4'000, 't') + "\r\n\r\n";
}

/// The same as frames of HTTP/2.
std::string large_frames(std::uint8_t which, std::uint32_t stream) {
  std::string all;
  for (unsigned i = 0; i < which % 4U; ++i) {
    all += frame(test::kData, 0, stream, std::string(16'000, 'x'));
  }
  return all + headers(stream, {{"x-sum", std::string(4'000, 't')}});
}

/// What a caller says, as far as it comes. `stream`: of HTTP/2.
std::string request(std::uint8_t which, std::uint32_t stream) {
  if (which >= 0xF0) {
    return "POST /a HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nConnection: TE\r\n"
           "Transfer-Encoding: chunked\r\n\r\n" +
           large_body(which);
  }
  if (which >= 0xE0) return headers(stream, kFields, false) + large_frames(which, stream);
  switch (which % 6) {
    case 0:
      return kGet;
    case 1:
      return kPost;
    case 2:
      return "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
             "0\r\nX-Sum: 1\r\n\r\n";
    case 3:
      return headers(stream, test::kGetFields);
    case 4:
      return headers(stream, kFields, false) +
             frame(test::kData, test::kEndStream, stream, "hello");
    default:
      return headers(stream, kConnect, false) + frame(test::kData, 0, stream, "hello");
  }
}

/// What an app says, as far as it comes.
std::string answer(std::uint8_t which, std::uint32_t stream) {
  if (which >= 0xF0) {
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + large_body(which);
  }
  if (which >= 0xE0) {
    return headers(stream, {{":status", "200"}}, false) + large_frames(which, stream);
  }
  switch (which % 7) {
    case 0:
      return kOk;
    case 1:
      return "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\n"
             "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n";
    case 2:
      return "HTTP/1.1 200 OK\r\n\r\nuntil the end";
    case 3:
      return "HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nfirst";
    case 4:
      return headers(stream, {{":status", "200"}}, false) +
             frame(test::kData, test::kEndStream, stream, "ok");
    case 5:
      return headers(stream, {{":status", "103"}}, false) +
             headers(stream, {{":status", "200"}}, false) + frame(test::kData, 0, stream, "abc") +
             headers(stream, {{"x-sum", "1"}});
    default:
      return headers(stream, {{":status", "200"}}, false);
  }
}

class World {
 public:
  World(bool is_http2_app, bool is_narrow)
      : world_({.slots = is_narrow ? 1 : 100, .queue = {.count = 3}}) {
    if (is_http2_app) world_.handler.options.version = UpstreamVersion::kHttp2;
    world_.handler.tries = 2;
  }

  void run(test::Input& input) {
    constexpr int kMostSteps = 200;
    for (int steps = 0; !input.is_empty() && steps < kMostSteps; ++steps) step(input);
  }

  /// Everybody leaves, and time passes.
  void end() {
    callers_.clear();
    listen_as_app();
    apps_.clear();
    for (int i = 0; i < 200 && !is_at_rest(); ++i) {
      work(1'000);
      listen_as_app();
      apps_.clear();
      world_.pass(std::chrono::milliseconds(250));
    }
    CHECK(is_at_rest(), "nothing is left once everybody has gone");
  }

 private:
  using Peers = std::vector<TestPeer>;

  void step(test::Input& input) {
    switch (input.byte() % 12) {
      case 0:
        return call(input);
      case 1:
      case 2:
        return say(input, callers_, request(input.byte(), stream(input)));
      case 3:
        return leave(input, callers_);
      case 4:
      case 5:
        return say(input, apps_, answer(input.byte(), stream(input)));
      case 6:
        return leave(input, apps_);
      case 7:
        return say_frame(input, (input.byte() & 1U) != 0 ? callers_ : apps_);
      case 8:
        return world_.pass(std::chrono::milliseconds(20) * input.byte());
      case 9:
        return drain(input);
      case 10:
        listen_as_app();
        return listen(callers_);
      default:
        return work(1 + input.byte() % 8);
    }
  }
  static std::uint32_t stream(test::Input& input) { return 2U * (input.byte() % 6U) + 1U; }
  static TestPeer* choose(test::Input& input, Peers& among) {
    return among.empty() ? nullptr : &among[input.byte() % among.size()];
  }
  void call(test::Input& input) {
    constexpr std::size_t kMostCallers = 5;
    if (callers_.size() == kMostCallers) return;
    callers_.push_back(world_.caller());
    if ((input.byte() & 1U) != 0) callers_.back().say(kHello);
  }
  /// All of it, or so many bytes.
  static void say(test::Input& input, Peers& among, const std::string& text) {
    TestPeer* const peer = choose(input, among);
    const std::size_t most = input.byte();
    if (peer != nullptr) peer->say(text.substr(0, most > 200 ? text.size() : most));
  }
  static void say_frame(test::Input& input, Peers& among) {
    TestPeer* const peer = choose(input, among);
    const std::uint8_t type = input.byte() % 10;
    const std::uint8_t flags = input.byte();
    const std::uint32_t on = (input.byte() & 1U) != 0 ? stream(input) : 0;
    if (peer != nullptr) peer->say(frame(type, flags, on, input.bytes(input.byte() % 16)));
  }
  static void leave(test::Input& input, Peers& among) {
    TestPeer* const peer = choose(input, among);
    if (peer == nullptr) return;
    const std::uint8_t how = input.byte() % 3;
    if (how == 2) return peer->finish();
    if (how == 1) peer->reset();
    among.erase(among.begin() + (peer - among.data()));
  }
  void drain(test::Input& input) {
    if ((input.byte() & 1U) != 0) return world_.server.end_draining();
    world_.server.start_draining();
  }
  void work(int handlers) {
    while (handlers-- > 0 && world_.io.poll_one() != 0) {
    }
  }
  void listen_as_app() {
    for (TestPeer peer = world_.app.accept(); peer.is_open(); peer = world_.app.accept()) {
      if (world_.handler.options.version == UpstreamVersion::kHttp2) {
        peer.say(frame(test::kSettings, 0, 0));
      }
      apps_.push_back(std::move(peer));
    }
    listen(apps_);
  }
  static void listen(Peers& peers) {
    for (TestPeer& peer : peers) {
      peer.listen();
      peer.take_received();
    }
  }
  bool is_at_rest() {
    return world_.server.counters().in_flight == 0 &&
           world_.server.counters().open_connections == 0 &&
           world_.handler.limiter.breaker().running() == 0 &&
           world_.handler.limiter.breaker().waiting() == 0 &&
           world_.reactor.buffers().borrowed() == 0;
  }

  ProxyWorld world_;
  Peers callers_;
  Peers apps_;
};

}  // namespace
}  // namespace bellows::proxy

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  bellows::test::Input input = bellows::test::input_after(1, data, size);
  bellows::proxy::World world((data[0] & 1U) != 0, (data[0] & 2U) != 0);
  world.run(input);
  world.end();
  return 0;
}
