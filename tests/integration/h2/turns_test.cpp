// What a turn of the loop takes of one connection: a flood that is there at once is read in parts,
// and other peers have their turn in between.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "tests/integration/h2/h2_world.hpp"

namespace bellows::http2 {
namespace {

struct CheapFlood {
  const char* what;
  std::string bytes;
  Abuse ends_for;
};

std::ostream& operator<<(std::ostream& out, const CheapFlood& flood) {
  return out << flood.what;
}

/// A peer with a connection of its own, and one request.
class OtherPeer {
 public:
  explicit OtherPeer(H2World& world) : world_(world) {
    auto [ours, theirs] = test::MemoryConnection::make_pair(world.faults);
    raw_ = std::move(theirs);
    server_ = std::make_unique<ServerConnection>(
        world.reactor, std::move(ours), "", world.limits, world.counters, "honest",
        [this](ConnectionPtr stream) { given_.push_back(std::move(stream)); }, [] {});
    raw_->try_write(std::string(kPreface) + frame(test::kSettings, 0, 0));
    world.settle();
  }

  /// Until the request has begun, or nothing more happens.
  void ask() {
    raw_->try_write(headers(1, kGetFields));
    while (!is_served() && world_.io.poll_one() != 0) {
    }
  }
  bool is_served() const { return !given_.empty(); }

 private:
  H2World& world_;
  std::unique_ptr<test::MemoryConnection> raw_;
  std::unique_ptr<ServerConnection> server_;
  std::vector<ConnectionPtr> given_;
};

class Turns : public testing::TestWithParam<CheapFlood> {
 protected:
  H2World world_;
};

/// All of a flood is there when the request of another peer comes. That one waits for a part of the
/// flood alone, or the bound of a turn has gone.
TEST_P(Turns, AnotherPeerIsServedInBetween) {
  world_.start_raw_server();
  world_.greet();
  OtherPeer other(world_);
  world_.raw->try_write(GetParam().bytes);
  other.ask();
  EXPECT_TRUE(other.is_served());
  EXPECT_EQ(world_.counters.count(GetParam().ends_for), 0U) << "the flood was read to its end";
  world_.settle();
  EXPECT_EQ(world_.counters.count(GetParam().ends_for), 1U);
}

const std::vector<CheapFlood> kCheapFloods = {
    {"resets by the peer",
     times(1'001,
           [](int i) {
             return headers(id(i), kGetFields) + frame(test::kRstStream, 0, id(i), number(8, 4));
           }),
     Abuse::kPeerResets},
    {"heads over the limit",
     times(101, [](int i) { return frame(test::kHeaders, 5, id(i), growing_head(20)); }),
     Abuse::kCausedResets},
    {"priorities", times(501, [](int) { return frame(test::kPriority, 0, 3, number(0, 5)); }),
     Abuse::kPriorities},
    {"small window updates",
     times(4'001, [](int) { return frame(test::kWindowUpdate, 0, 0, number(1, 4)); }),
     Abuse::kWindowUpdates},
};

INSTANTIATE_TEST_SUITE_P(All, Turns, testing::ValuesIn(kCheapFloods));

/// Each request is forwarded in the turn in which it begins. 100 at once are no flood, and begin 16
/// in a turn.
TEST(StreamsAtOnce, AnotherPeerIsServedInBetween) {
  H2World world;
  world.per_request = std::chrono::microseconds(50);
  world.start_raw_server();
  world.greet();
  OtherPeer other(world);
  world.raw->try_write(times(100, [](int i) { return headers(id(i), kGetFields); }));
  other.ask();
  EXPECT_TRUE(other.is_served());
  EXPECT_LE(world.given, 32);
  world.settle();
  EXPECT_EQ(world.given, 100);
}

/// What comes after requests that have not begun waits for them, and for nothing else.
TEST(StreamsAtOnce, FurtherInputIsReadWhenTheyHaveBegun) {
  H2World world;
  world.per_request = std::chrono::microseconds(50);
  world.start_raw_server();
  world.greet();
  world.raw->try_write(times(40, [](int i) { return headers(id(i), kGetFields); }));
  while (world.given == 0 && world.io.poll_one() != 0) {
  }
  ASSERT_LT(world.given, 40);
  world.say(times(10, [](int i) { return headers(id(40 + i), kGetFields); }));
  EXPECT_EQ(world.given, 50);
}

/// A stream that is reset before its request has begun is given to nobody.
TEST(StreamsAtOnce, WhatIsResetBeforeItHasBegunNeverBegins) {
  H2World world;
  world.start_raw_server();
  world.greet();
  world.say(times(40, [](int i) { return headers(id(i), kGetFields); }) +
            times(20, [](int i) { return frame(test::kRstStream, 0, id(20 + i), number(8, 4)); }));
  EXPECT_EQ(world.given, 20);
}

/// A client may try again what is above GOAWAY's last stream (RFC 9113 6.8), so that must name what
/// nobody has seen.
TEST(Goaway, ARequestThatComesWithTheFloodIsNotAmongThoseOfGoaway) {
  H2World world;
  world.start_raw_server();
  world.greet();
  world.say(headers(1, kGetFields));
  ASSERT_EQ(world.given, 1);
  const int many = static_cast<int>(world.limits.continuations) + 1;
  world.say(headers(3, kGetFields) + frame(test::kHeaders, 1, 5, block(kGetFields)) +
            times(many, [](int) { return frame(test::kContinuation, 0, 5, ""); }));
  EXPECT_EQ(world.given, 1);
  const test::Frame goaway = world.first(test::kGoaway, 0);
  EXPECT_EQ(goaway.code(), 1U) << "the last stream";
  EXPECT_EQ(goaway.code(4), static_cast<std::uint32_t>(ErrorCode::kEnhanceYourCalm));
}

/// The same with bytes that are no frames.
TEST(Goaway, ARequestThatComesWithNonsenseIsNotAmongThoseOfGoaway) {
  H2World world;
  world.start_raw_server();
  world.greet();
  world.say(headers(1, kGetFields));
  world.say(headers(3, kGetFields) + frame(test::kPriority, 0, 0, number(0, 5)));
  const test::Frame goaway = world.first(test::kGoaway, 0);
  EXPECT_EQ(goaway.code(4), static_cast<std::uint32_t>(ErrorCode::kProtocolError));
  EXPECT_EQ(goaway.code(), static_cast<std::uint32_t>(2 * world.given - 1))
      << "what was given is named, and nothing else";
}

}  // namespace
}  // namespace bellows::http2
