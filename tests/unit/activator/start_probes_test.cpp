#include "activator/core/start_probes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace bellows::activator {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

const RevisionId kWeb("web");

StartingReplica replica(int number, const std::string& host = "10.0.0.1") {
  return {.name = PodName("web-" + std::to_string(1000 + number)),
          .address = {.host = host, .port = 8013, .unix_path = {}}};
}

std::vector<StartingReplica> replicas(int count) {
  std::vector<StartingReplica> all;
  for (int i = 0; i < count; ++i) all.push_back(replica(i));
  return all;
}

TEST(StartProbes, AreDueEachIntervalUntilOneSucceeds) {
  StartProbes probes;
  EXPECT_TRUE(probes.empty());
  EXPECT_THAT(probes.take_due(), IsEmpty());
  probes.set(kWeb, {replica(1)});
  const auto first = probes.take_due();
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(first[0].replica, replica(1));
  EXPECT_FALSE(probes.end(first[0], false));
  const auto second = probes.take_due();
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_TRUE(probes.end(second[0], true));
  EXPECT_TRUE(probes.empty());
  EXPECT_FALSE(probes.end(second[0], true)) << "it is known already";
}

TEST(StartProbes, ThatHangDoNotDelayTheNextOnesButAreBounded) {
  StartProbes probes;
  probes.set(kWeb, {replica(1)});
  for (std::size_t i = 0; i < kStartProbesOfReplica; ++i) ASSERT_THAT(probes.take_due(), SizeIs(1));
  EXPECT_THAT(probes.take_due(), IsEmpty());
  EXPECT_FALSE(probes.end({.revision = kWeb, .replica = replica(1)}, false));
  EXPECT_THAT(probes.take_due(), SizeIs(1));
}

TEST(StartProbes, OfManyReplicasTakeTurns) {
  StartProbes probes;
  for (int i = 0; i < 30; ++i) probes.set(RevisionId("r" + std::to_string(i)), replicas(4));
  std::set<std::string> asked;
  std::size_t sent = 0;
  for (int interval = 0; interval < 3; ++interval) {
    for (const StartProbe& probe : probes.take_due()) {
      ++sent;
      asked.insert(probe.revision.text() + probe.replica.name.text());
    }
    EXPECT_EQ(sent, kStartProbesPerInterval * (static_cast<std::size_t>(interval) + 1));
  }
  EXPECT_THAT(asked, SizeIs(120)) << "150 probes have reached every one of 120";
}

TEST(StartProbes, OfARevisionWithManyStartsAreLimitedToSome) {
  StartProbes probes;
  probes.set(kWeb, replicas(100));
  EXPECT_THAT(probes.take_due(), SizeIs(kProbedStarts));
}

TEST(StartProbes, OfAnOldAddressSayNothing) {
  StartProbes probes;
  probes.set(kWeb, {replica(1)});
  const auto old = probes.take_due();
  probes.set(kWeb, {replica(1, "10.0.0.2")});
  EXPECT_FALSE(probes.end(old.at(0), true));
  const auto now = probes.take_due();
  ASSERT_THAT(now, SizeIs(1));
  EXPECT_EQ(now[0].replica.address.host, "10.0.0.2");
}

TEST(StartProbes, EndWhereNoRequestWaitsAnyMore) {
  StartProbes probes;
  probes.set(kWeb, replicas(3));
  probes.set(RevisionId("web-2"), {replica(1)});
  probes.set(kWeb, {});
  EXPECT_THAT(probes.take_due(), SizeIs(1));
  probes.set(RevisionId("web-2"), {});
  EXPECT_TRUE(probes.empty());
}

}  // namespace
}  // namespace bellows::activator
