// Exchanges of which one side or both speak HTTP/2, with each call of the socket failing: each ends
// as whole or as cut, and leaks no slot, no memory and no descriptor.
#include <gtest/gtest.h>

#include "http/core/chunk_scanner.hpp"
#include "http/h2/core/preface.hpp"
#include "tests/integration/h2/frames.hpp"
#include "tests/integration/proxy/leaves_nothing.hpp"

namespace bellows::proxy {
namespace {

using test::FieldPairs;
using test::frame;
using test::Frame;
using test::frames_of;
using test::headers;
using test::TestPeer;

/// One exchange if nothing fails. The app answers when it has heard `asked`.
struct Story {
  const char* what;
  bool is_http2_caller;
  bool is_http2_app;
  std::string request;
  std::string asked;
  std::string answer;
  std::string body;  ///< that the caller hears
};

FieldPairs fields(const std::string& method) {
  return {{":method", method}, {":scheme", "http"}, {":authority", "a"}, {":path", "/a"}};
}
FieldPairs with(FieldPairs all, const std::string& name, const std::string& value) {
  all.emplace_back(name, value);
  return all;
}

const std::string kHello = std::string(http2::kPreface) + frame(test::kSettings, 0, 0);

std::string post() {
  return headers(1, fields("POST"), false) + frame(test::kData, test::kEndStream, 1, "hello");
}
/// A response of two parts and trailers.
std::string parts() {
  return headers(1, {{":status", "200"}}, false) + frame(test::kData, 0, 1, "abc") +
         frame(test::kData, 0, 1, "d") + headers(1, {{"x-sum", "1"}});
}

std::vector<Story> stories() {
  const std::string chunked =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\nX-Sum: "
      "1\r\n\r\n";
  const std::string connect = headers(
      1, with(with(fields("CONNECT"), ":protocol", "websocket"), "sec-websocket-version", "13"),
      false);
  return {
      {"by HTTP/2 from HTTP/1.1", true, false, headers(1, fields("GET")), "\r\n\r\n", chunked,
       "abcd"},
      {"an upload by HTTP/2", true, false, post(), "hello\r\n0\r\n\r\n", kOk, "ok"},
      {"a tunnel", true, false, connect, "\r\n\r\n",
       "HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nfirst", "first"},
      {"by HTTP/1.1 from HTTP/2", false, true, kPost, "hello", parts(), "abcd"},
      {"by HTTP/2 from HTTP/2", true, true, post(), "hello", parts(), "abcd"},
  };
}

/// The caller's side of an exchange, as far as it has come.
struct Heard {
  std::string body;
  bool is_ok = false;     ///< a response with 200 began
  bool is_whole = false;  ///< it ended as it should
  bool is_over = false;
};

Heard heard_by_http2(const TestPeer& caller) {
  Heard heard;
  for (const Frame& each : frames_of(caller.received())) {
    if (each.stream != 1) continue;
    if (each.type == test::kHeaders && each.payload.starts_with('\x88')) heard.is_ok = true;
    if (each.type == test::kData) heard.body += each.payload;
    if (each.type == test::kRstStream) heard.is_over = true;
    const bool can_end = each.type == test::kHeaders || each.type == test::kData;
    if (can_end && (each.flags & test::kEndStream) != 0) heard.is_whole = heard.is_over = true;
  }
  heard.is_over |= caller.has_ended();
  return heard;
}

Heard heard_by_http1(const TestPeer& caller) {
  const std::string& text = caller.received();
  Heard heard;
  heard.is_ok = text.starts_with("HTTP/1.1 200");
  heard.is_over = caller.has_ended();
  http::ChunkScanner chunks;
  const std::size_t end_of_head = text.find("\r\n\r\n");
  std::string_view rest = text;
  rest.remove_prefix(end_of_head == text.npos ? text.size() : end_of_head + 4);
  while (heard.is_ok && !rest.empty() && !chunks.is_complete() && !chunks.is_broken()) {
    heard.body += chunks.next_data(rest);
  }
  heard.is_whole = heard.is_ok && text.ends_with("0\r\nx-sum: 1\r\n\r\n");
  const bool is_other = !heard.is_ok && text.find("\r\n\r\n") != std::string::npos;
  heard.is_over |= heard.is_whole || is_other;
  return heard;
}

Heard heard_by(const TestPeer& caller, const Story& story) {
  return story.is_http2_caller ? heard_by_http2(caller) : heard_by_http1(caller);
}

/// Both ends follow the story as far as they can.
void play(ProxyWorld& world, const Story& story) {
  if (story.is_http2_app) world.handler.options.version = UpstreamVersion::kHttp2;
  TestPeer caller = world.caller();
  caller.say(story.is_http2_caller ? kHello + story.request : story.request);
  std::vector<TestPeer> apps;
  const bool is_tunnel = story.body == "first";
  EXPECT_TRUE(world.until([&] {
    caller.listen();
    if (TestPeer app = world.app.accept(); app.is_open()) {
      if (story.is_http2_app) app.say(frame(test::kSettings, 0, 0));
      apps.push_back(std::move(app));
    }
    for (TestPeer& app : apps) {
      app.listen();
      if (app.received().find(story.asked) == std::string::npos) continue;
      app.take_received();
      app.say(story.answer);
      if (is_tunnel) app.finish();
    }
    return heard_by(caller, story).is_over;
  }));
  const Heard heard = heard_by(caller, story);
  if (!world.sockets.fails_any()) {
    EXPECT_TRUE(heard.is_ok && heard.is_whole);
  }
  if (heard.is_ok && heard.is_whole && !is_tunnel) {
    EXPECT_EQ(heard.body, story.body) << "what is not whole must not look whole";
  }
}

class EveryCallOfHttp2 : public LeavesNothing {
 protected:
  static void fail_each(int FaultySockets::*calls, int FaultySockets::*fault) {
    LeavesNothing::fail_each(calls, fault, stories(), play);
  }
};

TEST_F(EveryCallOfHttp2, Reads) {
  fail_each(&FaultySockets::receives, &FaultySockets::fail_receive);
}

TEST_F(EveryCallOfHttp2, Writes) {
  fail_each(&FaultySockets::sends, &FaultySockets::fail_send);
}

TEST_F(EveryCallOfHttp2, Connects) {
  fail_each(&FaultySockets::connects, &FaultySockets::fail_connect);
}

TEST_F(EveryCallOfHttp2, Accepts) {
  fail_each(&FaultySockets::accepts, &FaultySockets::fail_accept);
}

}  // namespace
}  // namespace bellows::proxy
