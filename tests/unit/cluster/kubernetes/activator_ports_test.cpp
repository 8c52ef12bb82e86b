#include "cluster/kubernetes/core/activator_ports.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/unit/cluster/kubernetes/objects.hpp"

namespace bellows::cluster {
namespace {

using namespace std::chrono_literals;
using test::kWeb;

const RevisionId kApi("shop/api");
constexpr TimePoint kStart(1000s);

RevisionId revision_id(int number) {
  return RevisionId("shop/r" + std::to_string(number));
}

TEST(ActivatorPorts, EachRevisionHasOneOfItsOwnAndKeepsIt) {
  ActivatorPorts ports({.first = 20000, .last = 20099});
  std::set<std::uint16_t> given;
  for (int i = 0; i < 100; ++i) {
    const auto port = ports.give(revision_id(i), kStart);
    ASSERT_TRUE(port);
    EXPECT_TRUE(ports.range().has(*port));
    EXPECT_TRUE(given.insert(*port).second);
    EXPECT_EQ(ports.give(revision_id(i), kStart), port);
  }
  EXPECT_FALSE(ports.give(kWeb, kStart)) << "all are given out";
}

TEST(ActivatorPorts, APortThatWasTakenBackRests) {
  ActivatorPorts ports({.first = 20000, .last = 20000});
  EXPECT_EQ(ports.give(kWeb, kStart), 20000);
  ports.take_back(kWeb, kStart);
  EXPECT_EQ(ports.of(kWeb), 0);
  EXPECT_FALSE(ports.give(kApi, kStart + 5min - 1ms));
  EXPECT_EQ(ports.give(kApi, kStart + 5min), 20000);
}

TEST(ActivatorPorts, ASuccessorIsToldWhichRest) {
  ActivatorPorts before({.first = 20000, .last = 20001});
  before.recognize(kApi, 20001);
  EXPECT_EQ(before.give(kWeb, kStart), 20000);
  EXPECT_TRUE(before.resting(kStart).empty());
  before.take_back(kWeb, kStart);
  const auto resting = before.resting(kStart + 1min);
  EXPECT_EQ(resting, (std::map<std::uint16_t, TimePoint>{{20000, kStart}}));
  EXPECT_TRUE(before.resting(kStart + 5min).empty());

  ActivatorPorts after({.first = 20000, .last = 20001});
  after.rest(20000, kStart);
  after.rest(20000, kStart - 1min);
  after.recognize(kApi, 20001);
  after.rest(20001, kStart);
  EXPECT_EQ(after.of(kApi), 20001) << "what a Revision has does not rest";
  after.rest(19999, kStart);
  EXPECT_FALSE(after.give(kWeb, kStart + 5min - 1ms));
  EXPECT_EQ(after.give(kWeb, kStart + 5min), 20000);
}

TEST(ActivatorPorts, ASuccessorRecognizesWhatIsListed) {
  ActivatorPorts ports({.first = 20000, .last = 20002});
  EXPECT_TRUE(ports.recognize(kWeb, 20001));
  EXPECT_TRUE(ports.recognize(kWeb, 20001)) << "by status and by slice";
  EXPECT_FALSE(ports.recognize(kWeb, 20002)) << "a hand-edited status does not move it";
  EXPECT_FALSE(ports.recognize(kApi, 20001)) << "two Revisions with one port";
  EXPECT_FALSE(ports.recognize(kApi, 0));
  EXPECT_FALSE(ports.recognize(kApi, 19999)) << "the range has been changed";
  EXPECT_EQ(ports.give(kWeb, kStart), 20001);
  EXPECT_NE(ports.give(kApi, kStart), 20001);
}

}  // namespace
}  // namespace bellows::cluster
