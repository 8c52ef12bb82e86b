// Callers and apps that leave: every pairing of HTTP/1.1 and HTTP/2, at every byte of the request,
// at every step of the proxy, at every byte of the response; the other side answers late. The
// proxy is at rest afterwards, and the next request is served. Uses of freed memory are seen by the
// address sanitizer (tools/check --sanitize).
#include <gtest/gtest.h>

#include <array>
#include <ostream>
#include <set>

#include "http/h2/core/preface.hpp"
#include "tests/integration/h2/frames.hpp"
#include "tests/integration/proxy/leaves_nothing.hpp"

namespace bellows::proxy {
namespace {

using test::frame;
using test::frames_of;
using test::headers;
using test::TestPeer;

struct Pairing {
  bool is_http2_caller;
  bool is_http2_app;
};

std::ostream& operator<<(std::ostream& out, const Pairing& pairing) {
  return out << (pairing.is_http2_caller ? "h2" : "h1") << "_to_"
             << (pairing.is_http2_app ? "h2" : "h1");
}

constexpr std::array kPairings = {Pairing{false, false}, Pairing{false, true}, Pairing{true, false},
                                  Pairing{true, true}};

/// How a side leaves.
enum class Leave { kClose, kReset, kHalf, kStream };
constexpr std::array kLeaves = {Leave::kClose, Leave::kReset, Leave::kHalf, Leave::kStream};

const test::FieldPairs kFields = {
    {":method", "POST"}, {":scheme", "http"}, {":authority", "a"}, {":path", "/a"}};

std::string request_of(bool is_http2) {
  if (!is_http2) return kPost;
  return std::string(http2::kPreface) + frame(test::kSettings, 0, 0) + headers(1, kFields, false) +
         frame(test::kData, test::kEndStream, 1, "hello");
}

/// Interim response, two parts and trailers.
std::string answer_of(bool is_http2, std::uint32_t stream) {
  if (!is_http2) {
    return "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\n"
           "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\nX-Sum: 1\r\n\r\n";
  }
  return headers(stream, {{":status", "103"}, {"link", "a"}}, false) +
         headers(stream, {{":status", "200"}}, false) + frame(test::kData, 0, stream, "abc") +
         frame(test::kData, 0, stream, "d") + headers(stream, {{"x-sum", "1"}});
}

void leave(TestPeer& peer, bool is_http2, Leave how) {
  switch (how) {
    case Leave::kClose:
      return peer.close();
    case Leave::kReset:
      return peer.reset();
    case Leave::kHalf:
      return peer.finish();
    case Leave::kStream:
      peer.say(is_http2 ? frame(test::kRstStream, 0, 1, test::number(8, 4)) : "");
      return peer.finish();
  }
}

/// All connections of the app: it greets, and answers what has come when it is told to.
class App {
 public:
  App(ProxyWorld& world, bool is_http2) : world_(world), is_http2_(is_http2) {}

  void listen() {
    for (;;) {
      TestPeer peer = world_.app.accept();
      if (!peer.is_open()) break;
      if (is_http2_) peer.say(frame(test::kSettings, 0, 0));
      peers_.push_back({std::move(peer), {}});
    }
    for (Heard& each : peers_) each.peer.listen();
  }
  /// Every request that is whole and has no answer yet: of cancelled streams too.
  void answer_all() {
    listen();
    for (Heard& each : peers_) {
      for (const std::uint32_t stream : whole_requests(each.peer.received())) {
        if (each.answered.insert(stream).second) each.peer.say(answer_of(is_http2_, stream));
      }
    }
  }
  /// The first request gets so much of its answer. False: it has not come yet.
  bool begin_answer(std::size_t bytes) {
    listen();
    if (peers_.empty()) return false;
    const auto requests = whole_requests(peers_.front().peer.received());
    if (requests.empty()) return false;
    peers_.front().answered.insert(requests.front());
    peers_.front().peer.say(answer_of(is_http2_, requests.front()).substr(0, bytes));
    return true;
  }
  void say_rest(std::size_t from) {
    const std::uint32_t stream = *peers_.front().answered.begin();
    peers_.front().peer.say(answer_of(is_http2_, stream).substr(from));
  }
  void say_first(std::string_view bytes) { peers_.front().peer.say(bytes); }
  void leave_first(Leave how) {
    leave(peers_.front().peer, is_http2_, how);
    if (how == Leave::kClose || how == Leave::kReset) peers_.erase(peers_.begin());
  }

 private:
  struct Heard {
    TestPeer peer;
    std::set<std::uint32_t> answered;
  };

  /// Streams; of HTTP/1.1 the number of the request on its connection.
  std::vector<std::uint32_t> whole_requests(std::string_view heard) const {
    std::vector<std::uint32_t> all;
    if (!is_http2_) {
      std::uint32_t count = 0;
      for (auto at = heard.find("hello"); at != heard.npos; at = heard.find("hello", at + 1)) {
        all.push_back(++count);
      }
      return all;
    }
    if (heard.size() < http2::kPreface.size()) return all;
    for (const test::Frame& each : frames_of(heard.substr(http2::kPreface.size()))) {
      const bool can_end = each.type == test::kHeaders || each.type == test::kData;
      if (can_end && (each.flags & test::kEndStream) != 0) all.push_back(each.stream);
    }
    return all;
  }

  ProxyWorld& world_;
  const bool is_http2_;
  std::vector<Heard> peers_;
};

/// The proxy, its app, and the caller that leaves.
struct Scene {
  explicit Scene(const Pairing& the_pairing,
                 BreakerLimits limits = {.slots = 100, .queue = {.count = 100}})
      : pairing(the_pairing), world(limits), app(world, pairing.is_http2_app) {
    if (pairing.is_http2_app) world.handler.options.version = UpstreamVersion::kHttp2;
    caller = world.caller();
  }

  /// So many handlers of the loop at most; false: fewer had something to do.
  bool run(int handlers) {
    for (int i = 0; i < handlers; ++i) {
      if (world.io.poll_one() == 0) return false;
      app.listen();
    }
    return true;
  }
  void settle() { run(1'000); }

  /// An honest caller is served, whatever was before, and nothing is left.
  void expect_served_and_at_rest() {
    TestPeer honest = world.caller();
    honest.say(request_of(false));
    EXPECT_TRUE(world.until([&] {
      app.answer_all();
      honest.listen();
      return honest.received().ends_with("\r\n\r\n") &&
             honest.received().find("\r\n0\r\n") != honest.received().npos;
    })) << honest.received();
    EXPECT_NE(honest.received().find("HTTP/1.1 200 OK"), std::string::npos) << honest.received();
    caller.close();
    honest.close();
    EXPECT_TRUE(world.until([&] {
      app.answer_all();
      return world.server.counters().open_connections == 0;
    }));
    EXPECT_TRUE(world.is_at_rest());
  }

  const Pairing pairing;
  ProxyWorld world;
  App app;
  TestPeer caller;
};

class Leaving : public testing::TestWithParam<Pairing> {
 protected:
  /// Plays `play` for each way to leave.
  template <class Play>
  static void each_way(Play play) {
    for (const Leave how : kLeaves) {
      SCOPED_TRACE(static_cast<int>(how));
      play(how);
    }
  }
};

TEST_P(Leaving, TheCallerAtEveryByteOfItsRequest) {
  each_way([](Leave how) {
    const std::string request = request_of(GetParam().is_http2_caller);
    for (std::size_t bytes = 0; bytes <= request.size(); ++bytes) {
      SCOPED_TRACE(bytes);
      Scene scene(GetParam());
      scene.caller.say(request.substr(0, bytes));
      scene.settle();
      leave(scene.caller, GetParam().is_http2_caller, how);
      scene.settle();
      scene.expect_served_and_at_rest();
    }
  });
}

TEST_P(Leaving, TheCallerAtEveryStepOfTheProxyBeforeTheAppAnswers) {
  each_way([](Leave how) {
    bool is_within = true;
    for (int steps = 0; is_within; ++steps) {
      SCOPED_TRACE(steps);
      ASSERT_LT(steps, 200);
      Scene scene(GetParam());
      scene.caller.say(request_of(GetParam().is_http2_caller));
      is_within = scene.run(steps);
      leave(scene.caller, GetParam().is_http2_caller, how);
      scene.settle();
      scene.expect_served_and_at_rest();
    }
  });
}

TEST_P(Leaving, TheCallerAtEveryByteOfTheResponseWhoseRestComesLate) {
  each_way([](Leave how) {
    const std::size_t size = answer_of(GetParam().is_http2_app, 1).size();
    for (std::size_t bytes = 0; bytes < size; ++bytes) {
      SCOPED_TRACE(bytes);
      Scene scene(GetParam());
      scene.caller.say(request_of(GetParam().is_http2_caller));
      ASSERT_TRUE(scene.world.until([&] { return scene.app.begin_answer(bytes); }));
      scene.settle();
      leave(scene.caller, GetParam().is_http2_caller, how);
      scene.run(static_cast<int>(bytes % 5));
      scene.app.say_rest(bytes);
      scene.settle();
      scene.expect_served_and_at_rest();
    }
  });
}

TEST_P(Leaving, TheAppAtEveryByteOfItsResponse) {
  each_way([](Leave how) {
    const std::size_t size = answer_of(GetParam().is_http2_app, 1).size();
    for (std::size_t bytes = 0; bytes < size; ++bytes) {
      SCOPED_TRACE(bytes);
      Scene scene(GetParam());
      scene.caller.say(request_of(GetParam().is_http2_caller));
      ASSERT_TRUE(scene.world.until([&] { return scene.app.begin_answer(bytes); }));
      scene.app.leave_first(how);
      scene.settle();
      scene.expect_served_and_at_rest();
    }
  });
}

TEST_P(Leaving, TheCallerWhileItsRequestIsQueued) {
  each_way([](Leave how) {
    Scene scene(GetParam(), {.slots = 1, .queue = {.count = 100}});
    TestPeer first = scene.world.caller();
    first.say(request_of(false));
    ASSERT_TRUE(scene.world.until([&] { return scene.app.begin_answer(0); }));
    scene.caller.say(request_of(GetParam().is_http2_caller));
    ASSERT_TRUE(
        scene.world.until([&] { return scene.world.handler.limiter.breaker().waiting() == 1; }));
    leave(scene.caller, GetParam().is_http2_caller, how);
    scene.settle();
    scene.app.say_rest(0);
    ASSERT_TRUE(scene.world.until([&] {
      first.listen();
      return first.received().ends_with("\r\n\r\n");
    }));
    first.close();
    scene.expect_served_and_at_rest();
  });
}

/// GOAWAY that says that it processed nothing, and then the rest of the answer all the same.
TEST(AnAppOfHttp2, SaysGoAwayBetweenAnyTwoFramesOfItsAnswer) {
  const std::string answer = answer_of(true, 1);
  const std::string go = frame(test::kGoaway, 0, 0, test::number(0, 8));
  for (const bool is_http2_caller : {false, true}) {
    std::size_t bytes = 0;
    for (const test::Frame& each : frames_of(answer)) {
      SCOPED_TRACE(bytes);
      Scene scene({is_http2_caller, true});
      scene.caller.say(request_of(is_http2_caller));
      ASSERT_TRUE(scene.world.until([&] { return scene.app.begin_answer(bytes); }));
      scene.app.say_first(go + answer.substr(bytes));
      scene.settle();
      scene.expect_served_and_at_rest();
      bytes += 9 + each.payload.size();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Leaving, testing::ValuesIn(kPairings),
                         [](const auto& each) { return testing::PrintToString(each.param); });

}  // namespace
}  // namespace bellows::proxy
