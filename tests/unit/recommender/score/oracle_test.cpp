#include "recommender/score/oracle.hpp"

#include <gtest/gtest.h>

#include "tests/unit/recommender/score/made_up.hpp"

namespace bellows::recommender::score {
namespace {

using namespace std::chrono_literals;

/// An hour at 1 core and 1 GiB, an hour at 3 cores and 2 GiB.
Workload two_hours() {
  std::vector<Demand> demands(120, {1, kGiB});
  for (std::size_t step = 60; step < 120; ++step) demands[step] = {3, 2 * kGiB};
  return synthetic(1min, demands, request(10, 10));
}

TEST(PerfectNextWindow, BeginsEachHourWithWhatThatHourWillNeed) {
  const Timeline timeline = perfect_next_window(two_hours(), {});
  EXPECT_EQ(timeline.steps[0].request, (Demand{1, kGiB}));
  EXPECT_EQ(timeline.steps[59].request, (Demand{1, kGiB}));
  EXPECT_EQ(timeline.steps[60].request, (Demand{3, 2 * kGiB}));
  const Score got = score(two_hours(), timeline);
  EXPECT_DOUBLE_EQ(got.slack_share(), 0);
  EXPECT_EQ(got.ooms, 0U);
  EXPECT_DOUBLE_EQ(cost(got, kOraclePrices), 0);
}

TEST(BestConstant, TakesAllMemoryThatIsEverNeededAndWeighsCpuAgainstThrottling) {
  const Timeline timeline = best_constant(two_hours(), {});
  const Demand request = timeline.steps[0].request;
  EXPECT_EQ(request, timeline.steps[119].request);
  EXPECT_EQ(request.memory_bytes, 2 * kGiB) << "a kill costs more than slack";
  EXPECT_EQ(request.cpu_cores, 1.5) << "its limit, twice that, throttles nothing";
}

TEST(BestConstant, IsNoWorseThanAnyOtherConstant) {
  const Workload workload = two_hours();
  const double best = cost(score(workload, best_constant(workload, {})), kOraclePrices);
  for (const std::int64_t millicores : {500, 1000, 1500, 2000, 3000, 6000}) {
    Workload other = workload;
    other.first = request(millicores, 2048);
    EXPECT_LE(best, cost(score(other, simulate_unchanged(other)), kOraclePrices)) << millicores;
  }
}

}  // namespace
}  // namespace bellows::recommender::score
