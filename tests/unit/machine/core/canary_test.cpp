// Diaries of canaries: at t, with these requests, expect that.
#include "machine/core/canary.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/start.hpp"

namespace bellows::machine {
namespace {

using namespace std::chrono_literals;

using bellows::test::kStart;

CanaryPlan plan() {
  return {.shares = {5, 25, 100},
          .step = 2min,
          .max_errors = 0.01,
          .max_latency = LatencyLimit{99, 300ms},
          .min_requests = 100};
}

/// The first share is in force at kStart.
class CanaryDiary : public testing::Test {
 protected:
  CanaryDiary() { canary_.in_force({}, kStart); }

  Canary::Stage at(Duration since, Served so_far) { return canary_.look(so_far, kStart + since); }

  Canary canary_{plan(), "web-00002"};
};

TEST(Canary, SaysWhatItGoesBackFor) {
  EXPECT_EQ(Canary(plan(), "web-00002").watches(),
            "more than 1 % of the requests fail, or more than 1 % take longer than 300ms");
  CanaryPlan of_errors = plan();
  of_errors.max_errors = 0.05;
  of_errors.max_latency = {};
  EXPECT_EQ(Canary(of_errors, "web-00002").watches(), "more than 5 % of the requests fail");
}

TEST_F(CanaryDiary, GoesOnAfterEachStepWhileItsRequestsAreGood) {
  EXPECT_EQ(canary_.share(), 5);
  EXPECT_EQ(at(1min, {.requests = 400, .errors = 0, .slow = 0}), Canary::Stage::kWatching);
  EXPECT_EQ(canary_.message(kStart + 1min),
            "web-00002 gets 5 % (step 1 of 3): 400 requests, 0 errors, 0 slow; 1m left");
  EXPECT_EQ(at(2min, {.requests = 1000, .errors = 10, .slow = 10}), Canary::Stage::kShifting);
  EXPECT_EQ(canary_.share(), 25);
  EXPECT_EQ(canary_.message(kStart + 2min), "web-00002 gets 25 % next (step 2 of 3)");
  canary_.in_force({.requests = 1010, .errors = 10, .slow = 10}, kStart + 3min);
  EXPECT_EQ(at(4min, {.requests = 1500, .errors = 14, .slow = 10}), Canary::Stage::kWatching)
      << "the errors of the step before do not count again";
  EXPECT_EQ(at(5min, {.requests = 2000, .errors = 14, .slow = 10}), Canary::Stage::kShifting);
  EXPECT_EQ(canary_.share(), 100);
  canary_.in_force({.requests = 2000, .errors = 14, .slow = 10}, kStart + 6min);
  EXPECT_EQ(canary_.stage(), Canary::Stage::kDone);
  EXPECT_EQ(canary_.message(kStart + 6min), "web-00002 gets 100 %");
}

TEST_F(CanaryDiary, GoesBackAtOnceWhenTooManyRequestsHaveFailed) {
  EXPECT_EQ(at(10s, {.requests = 3, .errors = 1, .slow = 0}), Canary::Stage::kWatching)
      << "one of a hundred is allowed, and a hundred make a verdict";
  EXPECT_EQ(at(11s, {.requests = 4, .errors = 2, .slow = 0}), Canary::Stage::kBack)
      << "whatever the next 96 are";
  EXPECT_EQ(canary_.message(kStart + 11s),
            "web-00002 rolls back: 2 of 4 requests at 5 % failed, max-errors is 1 %");
  EXPECT_EQ(at(3min, {.requests = 1000, .errors = 2, .slow = 0}), Canary::Stage::kBack);
}

TEST_F(CanaryDiary, GoesBackWhenTooManyRequestsAreSlow) {
  EXPECT_EQ(at(1min, {.requests = 1000, .errors = 0, .slow = 10}), Canary::Stage::kWatching);
  EXPECT_EQ(at(61s, {.requests = 1010, .errors = 0, .slow = 11}), Canary::Stage::kBack);
  EXPECT_EQ(canary_.message(kStart + 61s),
            "web-00002 rolls back: 11 of 1010 requests at 5 % took longer than 300ms, max-latency "
            "is p99=300ms");
}

TEST_F(CanaryDiary, WithoutALimitOfLatencySlowRequestsAreGood) {
  CanaryPlan any = plan();
  any.max_latency.reset();
  Canary canary(any, "web-00002");
  canary.in_force({}, kStart);
  EXPECT_EQ(canary.look({.requests = 500, .errors = 0, .slow = 500}, kStart + 2min),
            Canary::Stage::kShifting);
}

TEST_F(CanaryDiary, WaitsForEnoughRequestsAndGoesBackIfTheyDoNotCome) {
  EXPECT_EQ(at(2min, {.requests = 99, .errors = 0, .slow = 0}), Canary::Stage::kWatching);
  EXPECT_EQ(canary_.message(kStart + 2min),
            "web-00002 gets 5 % (step 1 of 3): 99 requests, 0 errors, 0 slow; waits for 100 "
            "requests");
  Canary other = canary_;
  EXPECT_EQ(other.look({.requests = 100, .errors = 0, .slow = 0}, kStart + 3min),
            Canary::Stage::kShifting);
  EXPECT_EQ(at(20min, {.requests = 99, .errors = 0, .slow = 0}), Canary::Stage::kBack);
  EXPECT_EQ(canary_.message(kStart + 20min),
            "web-00002 rolls back: 99 requests in 20m are too few for a verdict, min-requests is "
            "100");
}

TEST_F(CanaryDiary, CountsWhatCameBeforeTheStepNeitherForItNorAgainstIt) {
  Canary canary(plan(), "web-00002");
  canary.in_force({.requests = 500, .errors = 400, .slow = 0}, kStart);
  EXPECT_EQ(canary.look({.requests = 600, .errors = 400, .slow = 0}, kStart + 2min),
            Canary::Stage::kShifting);
  Canary counted_anew(plan(), "web-00002");
  counted_anew.in_force({.requests = 500, .errors = 400, .slow = 0}, kStart);
  EXPECT_EQ(counted_anew.look({.requests = 100, .errors = 2, .slow = 0}, kStart + 2min),
            Canary::Stage::kBack);
}

TEST_F(CanaryDiary, EndsIfItsSharesCannotBeChanged) {
  canary_.end("web-00002 does not become ready");
  EXPECT_TRUE(canary_.is_over());
  EXPECT_EQ(canary_.message(kStart), "web-00002 rolls back: web-00002 does not become ready");
}

std::string problem(const CanaryPlan& bad) {
  const auto checked = check(bad);
  return checked ? "fine" : to_string(checked.error());
}

TEST(CanaryPlanThatCannotBeUsed, IsNamedWithTheValueAndWhatIsRight) {
  EXPECT_EQ(problem(plan()), "fine");
  for (const auto& [shares, text] : std::vector<std::pair<std::vector<std::int32_t>, std::string>>{
           {{}, ""},
           {{5, 25}, "5%,25%"},
           {{25, 5, 100}, "25%,5%,100%"},
           {{0, 100}, "0%,100%"},
           {{5, 5, 100}, "5%,5%,100%"}}) {
    CanaryPlan bad = plan();
    bad.shares = shares;
    EXPECT_EQ(problem(bad),
              "canary: \"" + text + "\": want growing percentages that end with 100%: 5%,25%,100%");
  }
  CanaryPlan bad = plan();
  bad.step = 100ms;
  EXPECT_EQ(problem(bad), "step: \"100ms\": want a duration from 1s to 24h");
  bad = plan();
  bad.max_errors = 1;
  EXPECT_EQ(problem(bad), "max-errors: \"100 %\": want 0% to below 100%");
  bad = plan();
  bad.min_requests = 0;
  EXPECT_EQ(problem(bad), "min-requests: \"0\": want 1 to 1000000000");
}

TEST(LatencyLimitOfACanary, IsAPercentileAndADuration) {
  EXPECT_EQ(read_latency_limit("p99=300ms"), (LatencyLimit{99, 300ms}));
  EXPECT_EQ(read_latency_limit("p50=1m30s"), (LatencyLimit{50, 90s}));
  for (const char* bad : {"", "300ms", "p99", "p99=", "p0=1s", "p100=1s", "p99=0s", "q99=1s"}) {
    EXPECT_EQ(read_latency_limit(bad), std::nullopt) << bad;
  }
}

TEST(SharesWithACanary, KeepTheProportionsOfTheOthers) {
  EXPECT_EQ(with_share({{1, 100}}, 2, 5), (Shares{{1, 95}, {2, 5}}));
  EXPECT_EQ(with_share({{1, 100}}, 2, 100), (Shares{{2, 100}}));
  EXPECT_EQ(with_share({{1, 50}, {2, 50}}, 3, 5), (Shares{{1, 48}, {2, 47}, {3, 5}}));
  EXPECT_EQ(with_share({{1, 90}, {2, 10}}, 3, 99), (Shares{{1, 1}, {3, 99}}));
}

}  // namespace
}  // namespace bellows::machine
