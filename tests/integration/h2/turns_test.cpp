// What a turn of the loop takes of one connection: a flood that is there at once is read in parts,
// and other peers have their turn in between.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/integration/h2/h2_world.hpp"

namespace bellows::http2 {
namespace {

struct Flood {
  const char* what;
  std::string bytes;
  Abuse ends_for;
};

std::ostream& operator<<(std::ostream& out, const Flood& flood) {
  return out << flood.what;
}

class Turns : public testing::TestWithParam<Flood> {
 protected:
  H2World world_;
};

/// All of a flood is there when the request of another peer comes. That one waits for a part of the
/// flood alone, or the bound of a turn has gone.
TEST_P(Turns, AnotherPeerIsServedInBetween) {
  world_.start_raw_server();
  world_.greet();
  auto [ours, theirs] = test::MemoryConnection::make_pair(world_.faults);
  std::vector<ConnectionPtr> honest;
  ServerConnection other(
      world_.reactor, std::move(ours), "", world_.limits, world_.counters, "honest",
      [&](ConnectionPtr stream) { honest.push_back(std::move(stream)); }, [] {});
  theirs->try_write(std::string(kPreface) + frame(test::kSettings, 0, 0));
  world_.settle();
  world_.raw->try_write(GetParam().bytes);
  theirs->try_write(headers(1, kGetFields));
  while (honest.empty() && world_.io.poll_one() != 0) {
  }
  EXPECT_EQ(honest.size(), 1U);
  EXPECT_EQ(world_.counters.count(GetParam().ends_for), 0U) << "the flood was read to its end";
  world_.settle();
  EXPECT_EQ(world_.counters.count(GetParam().ends_for), 1U);
}

const std::vector<Flood> kFloods = {
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

INSTANTIATE_TEST_SUITE_P(All, Turns, testing::ValuesIn(kFloods));

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
