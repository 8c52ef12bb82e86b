#include "activator/service/queue_stats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/start.hpp"

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;
using test::kStart;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const RevisionId kWeb("web");

class RecordingSink final : public metrics::StatSink {
 public:
  void accept(const metrics::Stat& stat) override { stats_.push_back(stat); }
  void accept(const metrics::ScaleFromZeroTrigger&) override {}

  /// What came since the last look.
  std::vector<metrics::Stat> taken() { return std::exchange(stats_, {}); }

 private:
  std::vector<metrics::Stat> stats_;
};

/// The stats of one activator, second by second.
class QueueStatsDiary : public ::testing::Test {
 protected:
  void waiting(Duration since_start, std::int64_t count, const RevisionId& revision = kWeb) {
    const WorkerLock::Hold hold(lock_);
    stats_.set_waiting(revision, count, kStart + since_start);
  }
  void unreachable(std::uint64_t replicas) {
    const WorkerLock::Hold hold(lock_);
    stats_.set_unreachable(kWeb, replicas);
  }
  std::vector<metrics::Stat> second_ends(Duration since_start) {
    stats_.close_second(kStart + since_start);
    return sink_.taken();
  }

  RecordingSink sink_;
  WorkerLock lock_;
  QueueStats stats_{sink_, lock_, {.pod = PodName("activator-1"), .boot = 77}, kStart};
};

TEST_F(QueueStatsDiary, WithoutWaitingRequestsNothingIsReported) {
  EXPECT_THAT(second_ends(milliseconds(1000)), IsEmpty());
  waiting(milliseconds(1100), 0);
  EXPECT_THAT(second_ends(milliseconds(2000)), IsEmpty());
}

TEST_F(QueueStatsDiary, TheQueueLengthIsReportedAsTheMeanOfTheWholeSecond) {
  waiting(milliseconds(750), 4);
  const auto stats = second_ends(milliseconds(1000));
  ASSERT_THAT(stats, SizeIs(1));
  EXPECT_EQ(stats[0], (metrics::Stat{.revision = kWeb,
                                     .pod = PodName("activator-1"),
                                     .source = metrics::StatSource::kActivator,
                                     .boot = 77,
                                     .sequence = 1,
                                     .age = Duration::zero(),
                                     .concurrency = 1.0,
                                     .peak = 4,
                                     .requests = 4}));
}

TEST_F(QueueStatsDiary, TheQueueLengthContinuesInTheNextSecond) {
  waiting(milliseconds(0), 3);
  second_ends(milliseconds(1000));
  waiting(milliseconds(1500), 1);
  const auto stats = second_ends(milliseconds(2000));
  ASSERT_THAT(stats, SizeIs(1));
  EXPECT_DOUBLE_EQ(stats[0].concurrency, 2.0);
  EXPECT_DOUBLE_EQ(stats[0].peak, 3.0);
  EXPECT_EQ(stats[0].requests, 0U) << "they arrived in the second before";
  EXPECT_EQ(stats[0].sequence, 2U);
}

TEST_F(QueueStatsDiary, AnEmptyQueueIsReportedOnceAsZeroAndThenNoLonger) {
  waiting(milliseconds(0), 2);
  waiting(milliseconds(500), 0);
  EXPECT_DOUBLE_EQ(second_ends(milliseconds(1000)).at(0).concurrency, 1.0);
  const auto zero = second_ends(milliseconds(2000));
  ASSERT_THAT(zero, SizeIs(1));
  EXPECT_DOUBLE_EQ(zero[0].concurrency, 0.0);
  EXPECT_DOUBLE_EQ(zero[0].peak, 0.0);
  EXPECT_THAT(second_ends(milliseconds(3000)), IsEmpty());
}

TEST_F(QueueStatsDiary, AQueueThatFillsAgainContinuesTheSequence) {
  waiting(milliseconds(0), 1);
  waiting(milliseconds(100), 0);
  for (int second = 1; second <= 5; ++second) second_ends(milliseconds(1000 * second));
  waiting(milliseconds(5000), 1);
  const auto stats = second_ends(milliseconds(6000));
  ASSERT_THAT(stats, SizeIs(1));
  EXPECT_EQ(stats[0].boot, 77U);
  EXPECT_EQ(stats[0].sequence, 6U);
  EXPECT_DOUBLE_EQ(stats[0].concurrency, 1.0);
}

TEST_F(QueueStatsDiary, UnreachableReplicasAreReportedWithoutRequests) {
  unreachable(2);
  for (int second = 1; second <= 3; ++second) {
    const auto stats = second_ends(milliseconds(1000 * second));
    ASSERT_THAT(stats, SizeIs(1));
    EXPECT_EQ(stats[0].unreachable, 2U);
    EXPECT_DOUBLE_EQ(stats[0].concurrency, 0.0);
  }
  unreachable(0);
  EXPECT_EQ(second_ends(milliseconds(4000)).at(0).unreachable, 0U);
  EXPECT_THAT(second_ends(milliseconds(5000)), IsEmpty());
}

TEST_F(QueueStatsDiary, ReplicasThatAreReachedCostNothing) {
  unreachable(0);
  EXPECT_THAT(second_ends(milliseconds(1000)), IsEmpty());
}

TEST_F(QueueStatsDiary, RevisionsAreReportedSeparately) {
  waiting(milliseconds(0), 1);
  waiting(milliseconds(0), 5, RevisionId("shop"));
  double web = 0;
  double shop = 0;
  for (const metrics::Stat& stat : second_ends(milliseconds(1000))) {
    (stat.revision == kWeb ? web : shop) = stat.concurrency;
  }
  EXPECT_DOUBLE_EQ(web, 1.0);
  EXPECT_DOUBLE_EQ(shop, 5.0);
}

}  // namespace
}  // namespace bellows::activator
