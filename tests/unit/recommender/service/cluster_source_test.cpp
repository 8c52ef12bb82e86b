#include "recommender/service/cluster_source.hpp"

#include <gtest/gtest.h>

#include "tests/support/manual_clock.hpp"
#include "tests/support/run_task.hpp"

namespace bellows::recommender {
namespace {

using namespace std::chrono_literals;
using What = cluster::AppEvent::What;

class ClusterSourceTest : public testing::Test {
 protected:
  void used(Duration at, double cores, Bytes memory, Duration over = 2s) {
    source_.on_usage({.revision = RevisionId("web"),
                      .replica = PodName("web-1"),
                      .at = start_ + at,
                      .over = over,
                      .cores = cores,
                      .memory = memory});
  }
  void happened(Duration at, What what, Bytes memory = {}, Bytes request = {}) {
    source_.on_event({.revision = RevisionId("web"),
                      .replica = PodName("web-1"),
                      .at = start_ + at,
                      .what = what,
                      .memory = memory,
                      .request = request});
  }
  std::vector<Observation> read() {
    return run_task<Result<std::vector<Observation>>>(io_, [&] { return source_.read(WallTime()); })
        .value();
  }
  template <class T>
  static int count(const std::vector<Observation>& seen) {
    int found = 0;
    for (const Observation& each : seen) {
      const Event* event = std::get_if<Event>(&each.what);
      if (event != nullptr && std::holds_alternative<T>(event->what)) ++found;
    }
    return found;
  }

  test::ManualClock clock_;
  const TimePoint start_ = clock_.now();
  const WallTime wall_ = clock_.wall_now();
  int urgent_ = 0;
  ClusterSource source_{clock_, 10s, [this] { ++urgent_; }};
  http::net::io_context io_;

  template <class T>
  T run_task(http::net::io_context& io, std::function<http::Awaitable<T>()> body) {
    return test::run_task<T>(io, std::move(body));
  }
};

TEST_F(ClusterSourceTest, APeriodBecomesOneMeanAndOnePeak) {
  used(2s, 0.1, mebibytes(10));
  used(4s, 0.3, mebibytes(30));
  used(6s, 0.2, mebibytes(20));
  used(8s, 0.2, mebibytes(20));
  EXPECT_TRUE(read().empty()) << "the period is not over";
  used(10s, 0.2, mebibytes(20));
  const auto seen = read();
  ASSERT_EQ(seen.size(), 2u);
  const Usage& memory = std::get<Usage>(seen[0].what);
  const Usage& cpu = std::get<Usage>(seen[1].what);
  EXPECT_EQ(memory.amount, static_cast<double>(mebibytes(30).value));
  EXPECT_DOUBLE_EQ(cpu.amount, 0.2);
  EXPECT_EQ(cpu.at, wall_ + 10s);
  EXPECT_EQ(seen[0].container, kApp);
  EXPECT_TRUE(read().empty()) << "once";
}

TEST_F(ClusterSourceTest, AFirstReadingHasMemoryButNoCpuAndThatIsNotZero) {
  used(0s, 0, mebibytes(10), Duration::zero());
  happened(1s, What::kCrashed);
  const auto seen = read();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(std::get<Usage>(seen[0].what).resource, Resource::kMemory);
  EXPECT_EQ(count<Crashed>(seen), 1);
}

TEST_F(ClusterSourceTest, AnOomKillTellsThatAllOfTheLimitWasUsedAndDoesNotWait) {
  happened(3s, What::kOomKilled, mebibytes(128), mebibytes(64));
  EXPECT_EQ(urgent_, 1);
  const auto seen = read();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(std::get<Usage>(seen[0].what).amount, static_cast<double>(mebibytes(128).value));
  const Event& event = std::get<Event>(seen[1].what);
  EXPECT_EQ(std::get<OomKilled>(event.what).memory, mebibytes(64));
  EXPECT_EQ(event.at, wall_ + 3s);
}

TEST_F(ClusterSourceTest, AKillWithoutAKnownLimitTellsNoUsage) {
  happened(3s, What::kOomKilled);
  EXPECT_EQ(read().size(), 1u);
}

TEST_F(ClusterSourceTest, StartsAndEndsAreToldAndOnlyBadNewsIsUrgent) {
  happened(1s, What::kStarted);
  happened(2s, What::kCrashLoopOver);
  happened(3s, What::kGone);
  EXPECT_EQ(urgent_, 0);
  happened(4s, What::kCrashed);
  happened(4s, What::kCrashLoop);
  EXPECT_EQ(urgent_, 2);
  const auto seen = read();
  EXPECT_EQ(count<Started>(seen), 1);
  EXPECT_EQ(count<CrashLoop>(seen), 2);
  EXPECT_TRUE(std::holds_alternative<Gone>(seen[2].what));
}

TEST_F(ClusterSourceTest, TheNewestUseIsUnknownOnceTheAppIsDown) {
  EXPECT_EQ(source_.memory_use(RevisionId("web"), PodName("web-1")), std::nullopt);
  used(2s, 0.1, mebibytes(30));
  used(4s, 0.1, mebibytes(20));
  EXPECT_EQ(source_.memory_use(RevisionId("web"), PodName("web-1")), mebibytes(20));
  happened(5s, What::kCrashed);
  EXPECT_EQ(source_.memory_use(RevisionId("web"), PodName("web-1")), std::nullopt);
}

}  // namespace
}  // namespace bellows::recommender
