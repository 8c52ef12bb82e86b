#include "tests/support/fake_cluster.hpp"

#include <gtest/gtest.h>

#include "tests/integration/cluster/rigs.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/run_task.hpp"

namespace bellows::test {
namespace {

using namespace std::chrono_literals;
using cluster::ReplicaPhase;

const RevisionId kFaked("web");
const PodName kFirst("web-1");

class FakeClusterTest : public testing::Test {
 protected:
  FakeClusterTest() { fake_.add(listening_service()); }

  Result<void> scale(PodCount want) {
    return run_task<Result<void>>(io_, [&] { return fake_.scale(kFaked, {want, {}, "test"}); });
  }
  const cluster::Revision& web() { return *fake_.revisions().find(kFaked); }

  http::net::io_context io_;
  ManualClock clock_;
  FakeCluster fake_{io_, clock_};
};

TEST_F(FakeClusterTest, HeldPendingReplicaIsReadyWhenTheTestReleasesIt) {
  fake_.hold_pending();
  ASSERT_TRUE(scale(1).has_value());
  EXPECT_EQ(web().replicas[0]->phase, ReplicaPhase::kPending);
  const TimePoint ordered = clock_.now();
  clock_.advance(300ms);
  fake_.set_phase(kFaked, kFirst, ReplicaPhase::kReady);
  EXPECT_EQ(web().replicas[0]->start.ordered, ordered);
  EXPECT_EQ(web().replicas[0]->start.ready, ordered + 300ms);
}

TEST_F(FakeClusterTest, HeldListsAreStaleUntilTheyAreReleased) {
  fake_.hold_lists();
  ASSERT_TRUE(scale(2).has_value());
  EXPECT_EQ(web().requested, 0);
  fake_.release_lists();
  EXPECT_EQ(web().requested, 2);
  EXPECT_EQ(web().count(ReplicaPhase::kReady), 2);
}

TEST_F(FakeClusterTest, RejectsAsManyOrdersAsSetAndRecordsAll) {
  fake_.refuse_orders(ErrorKind::kConflict, 2);
  EXPECT_EQ(scale(1).error().kind(), ErrorKind::kConflict);
  EXPECT_EQ(scale(1).error().kind(), ErrorKind::kConflict);
  EXPECT_TRUE(scale(1).has_value());
  ASSERT_EQ(fake_.orders().size(), 3u);
  EXPECT_FALSE(fake_.orders()[1].was_taken);
  EXPECT_TRUE(fake_.orders()[2].was_taken);
  EXPECT_EQ(fake_.orders()[2].order.reason, "test");
}

TEST_F(FakeClusterTest, HeldDrainingReplicaStaysListedUntilItIsGone) {
  fake_.hold_draining();
  ASSERT_TRUE(scale(1).has_value());
  ASSERT_TRUE(scale(0).has_value());
  EXPECT_EQ(web().replicas[0]->phase, ReplicaPhase::kDraining);
  fake_.set_phase(kFaked, kFirst, ReplicaPhase::kGone);
  EXPECT_TRUE(web().replicas.empty());
}

}  // namespace
}  // namespace bellows::test
