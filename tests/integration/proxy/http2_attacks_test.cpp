// Callers that attack by HTTP/2, again and again, while an honest caller has its requests served:
// in how many turns of the loop. Each kind of attack is counted, and is told once a minute.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "base/sys/log.hpp"
#include "http/h2/core/preface.hpp"
#include "tests/integration/h2/frames.hpp"
#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using http2::Abuse;
using std::chrono::seconds;
using test::block;
using test::frame;
using test::headers;
using test::kGetFields;
using test::kPostFields;
using test::number;
using test::TestPeer;

std::uint32_t id(int i) {
  return static_cast<std::uint32_t>(2 * i + 1);
}

std::string hello() {
  return std::string(http2::kPreface) + frame(test::kSettings, 0, 0);
}

/// What one connection of an attacker sends: `begins`, and then `piece` as often as it can.
struct Attack {
  const char* what;
  Abuse kind;
  std::string begins;
  std::string (*piece)(int i);
};

void PrintTo(const Attack& attack, std::ostream* out) {
  *out << attack.what;
}

/// A field of 4 KB into the table (RFC 7541 6.2.1), then its index: 4 KB of fields a byte.
std::string grows(std::size_t fields) {
  const std::string first = block(kGetFields) + '\x40' + test::hpack_string("a") +
                            test::hpack_string(std::string(4'000, 'x'));
  return first + std::string(fields, '\xbe');
}

std::vector<Attack> attacks() {
  const auto piece = [](const char* what, Abuse kind, std::string begins, auto make) {
    return Attack{what, kind, std::move(begins), make};
  };
  return {
      piece("rapid resets", Abuse::kPeerResets, "",
            [](int i) {
              return headers(id(i), kGetFields) + frame(test::kRstStream, 0, id(i), number(8, 4));
            }),
      piece("resets that we are made to send", Abuse::kCausedResets, "",
            [](int i) {
              return headers(id(i), kPostFields, false) +
                     frame(test::kWindowUpdate, 0, id(i), number(0x7fffffffU, 4));
            }),
      piece("CONTINUATION without end", Abuse::kContinuations,
            frame(test::kHeaders, 1, 1, block(kGetFields)),
            [](int) {
              return frame(test::kContinuation, 0, 1, block({{"a", "b"}}));
            }),
      piece("SETTINGS", Abuse::kSettings, "", [](int) { return frame(test::kSettings, 0, 0); }),
      piece("PING", Abuse::kPings, "", [](int) { return frame(test::kPing, 0, 0, number(0, 8)); }),
      piece("WINDOW_UPDATE of a byte", Abuse::kWindowUpdates, "",
            [](int) { return frame(test::kWindowUpdate, 0, 0, number(1, 4)); }),
      piece("PRIORITY", Abuse::kPriorities, "",
            [](int) { return frame(test::kPriority, 0, 3, number(0, 5)); }),
      piece("DATA without a byte", Abuse::kEmptyData, headers(1, kPostFields, false),
            [](int) { return frame(test::kData, 0, 1); }),
      piece("frames that nobody knows", Abuse::kUnknownFrames, "",
            [](int) { return frame(0x77, 0, 0, "x"); }),
      piece("an HPACK bomb", Abuse::kHeaderBlock, "",
            [](int i) { return frame(test::kHeaders, 5, id(i), grows(10'000)); }),
      piece("header lists over their limit", Abuse::kLargeHead, "",
            [](int i) { return frame(test::kHeaders, 5, id(i), grows(20)); }),
      piece("malformed requests", Abuse::kMalformed, "",
            [](int i) {
              return headers(id(i), {{":method", "GET"}, {":path", "/"}});
            }),
  };
}

/// Connects, sends all it has as fast as the proxy reads, waits until it is thrown out, and comes
/// again.
class Attacker {
 public:
  Attacker(ProxyWorld& world, const Attack& attack)
      : world_(world), bytes_(hello() + attack.begins) {
    for (int i = 0; bytes_.size() < kBytes; ++i) bytes_ += attack.piece(i);
  }

  void go_on() {
    if (!peer_.is_open() || peer_.has_ended()) begin();
    peer_.listen();
    said_ += peer_.say_some(std::string_view(bytes_).substr(said_));
  }
  int connections() const { return connections_; }

 private:
  static constexpr std::size_t kBytes = 600'000;

  void begin() {
    peer_ = world_.caller();
    ++connections_;
    said_ = 0;
  }

  ProxyWorld& world_;
  std::string bytes_;
  TestPeer peer_;
  std::size_t said_ = 0;
  int connections_ = 0;
};

/// An app that answers each request, on all its connections.
class AnsweringApp {
 public:
  explicit AnsweringApp(ProxyWorld& world) : world_(world) {}
  void answer() {
    for (TestPeer next = world_.app.accept(); next.is_open(); next = world_.app.accept()) {
      peers_.push_back(std::move(next));
    }
    for (TestPeer& peer : peers_) {
      peer.listen();
      if (!peer.received().ends_with("\r\n\r\n")) continue;
      peer.take_received();
      peer.say(kOk);
    }
    std::erase_if(peers_, [](const TestPeer& peer) { return peer.has_ended(); });
  }

 private:
  ProxyWorld& world_;
  std::vector<TestPeer> peers_;
};

class HonestCaller {
 public:
  HonestCaller(ProxyWorld& world, AnsweringApp& app)
      : world_(world), app_(app), peer_(world.caller()) {}

  /// A request and its response. Returns how many turns of the loop it took.
  int exchange(Attacker* attacker) {
    EXPECT_TRUE(peer_.say(kGet));
    int turns = 0;
    while (ProxyWorld::without_date(peer_.received()) != kOk && turns < 1'000) {
      if (attacker != nullptr) attacker->go_on();
      world_.io.poll();
      ++turns;
      app_.answer();
      peer_.listen();
    }
    EXPECT_EQ(ProxyWorld::without_date(peer_.take_received()), kOk);
    return turns;
  }

 private:
  ProxyWorld& world_;
  AnsweringApp& app_;
  TestPeer peer_;
};

int worst_of(ProxyWorld& world, HonestCaller& caller, Attacker* attacker) {
  constexpr int kExchanges = 100;
  int worst = 0;
  for (int i = 0; i < kExchanges; ++i) {
    world.pass(std::chrono::milliseconds(50));  // who is thrown out is gone a second later
    worst = std::max(worst, caller.exchange(attacker));
  }
  return worst;
}

int lines_of(const std::vector<std::string>& lines, std::string_view reason) {
  return static_cast<int>(std::ranges::count_if(lines, [&](const std::string& line) {
    return line.find("overuses HTTP/2") != std::string::npos &&
           line.find(reason) != std::string::npos;
  }));
}

std::vector<std::string> log_lines;

class UnderAttack : public testing::TestWithParam<Attack> {
 protected:
  void SetUp() override {
    log_lines.clear();
    sys::log::set_sink([](std::string_view line) { log_lines.emplace_back(line); });
  }
  void TearDown() override { sys::log::set_sink(nullptr); }
};

TEST_P(UnderAttack, AnHonestCallerWaitsLessThanTwiceAsManyTurns) {
  ProxyWorld world;
  AnsweringApp app(world);
  HonestCaller honest(world, app);
  honest.exchange(nullptr);
  const int usual = worst_of(world, honest, nullptr);
  Attacker attacker(world, GetParam());
  const int attacked = worst_of(world, honest, &attacker);
  EXPECT_LT(attacked, 2 * usual) << "usually " << usual;
  EXPECT_GT(attacker.connections(), 2) << "it is thrown out each time";
  const std::uint64_t count = world.server.http2_abuses().count(GetParam().kind);
  EXPECT_GE(count + 1, static_cast<std::uint64_t>(attacker.connections())) << "each is counted";
  EXPECT_EQ(lines_of(log_lines, abuse_name(GetParam().kind)), 1) << "within a minute";
}

INSTANTIATE_TEST_SUITE_P(Each, UnderAttack, testing::ValuesIn(attacks()));

/// The attacker gives no window, so each of its responses waits in the proxy.
TEST(Windows, ThatStayClosedHoldLittleAndNobodyElse) {
  ProxyWorld world;
  AnsweringApp app(world);
  HonestCaller honest(world, app);
  honest.exchange(nullptr);
  const int usual = worst_of(world, honest, nullptr);
  TestPeer attacker = world.caller();
  std::string bytes =
      std::string(http2::kPreface) + frame(test::kSettings, 0, 0, number(4, 2) + number(0, 4));
  for (int i = 0; i < 100; ++i) bytes += headers(id(i), kGetFields);
  ASSERT_TRUE(attacker.say(bytes));
  ASSERT_TRUE(world.until([&] {
    app.answer();
    return world.outcomes.size() >= 101 + 100;
  }));
  EXPECT_LT(worst_of(world, honest, nullptr), 2 * usual);
  EXPECT_EQ(world.server.http2_abuses().count(Abuse::kClosedWindow), 0U);
  for (int i = 0; i < 5; ++i) {
    world.pass(seconds(10));
    world.until([&] { return world.io.poll() == 0; });
  }
  EXPECT_EQ(world.server.http2_abuses().count(Abuse::kClosedWindow), 100U);
}

/// Heads that begin and do not end: none of them has a request, a slot or a stream that counts.
TEST(Heads, ThatNeverEndAreEndedAndHoldNobody) {
  ProxyServerOptions options = full_detail();
  options.header_timeout = seconds(10);
  ProxyWorld world({.slots = 100, .queue = {.count = 100}}, options);
  AnsweringApp app(world);
  HonestCaller honest(world, app);
  honest.exchange(nullptr);
  const int usual = worst_of(world, honest, nullptr);
  std::vector<TestPeer> attackers;
  for (int i = 0; i < 50; ++i) {
    attackers.push_back(world.caller());
    ASSERT_TRUE(attackers.back().say(hello() + frame(test::kHeaders, 1, 1, block(kGetFields))));
  }
  ASSERT_TRUE(world.until([&] { return world.server.connections() == 51; }));
  world.until([&] { return world.io.poll() == 0; });
  EXPECT_LT(worst_of(world, honest, nullptr), 2 * usual);
  world.pass(seconds(11));
  EXPECT_TRUE(
      world.until([&] { return world.server.http2_abuses().count(Abuse::kLateHead) == 50; }));
  honest.exchange(nullptr);
}

}  // namespace
}  // namespace bellows::proxy
