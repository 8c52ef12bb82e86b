#include "simulator/what_if.hpp"

#include <gtest/gtest.h>

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

Outcome outcome(double replica_hours, Duration p99, std::uint64_t lost = 0) {
  Outcome made;
  made.replica_seconds = replica_hours * 3600;
  made.waits.p99 = p99;
  made.timed_out = lost;
  made.max_replicas = 25;
  return made;
}

WhatIf tried(std::vector<Candidate> candidates) {
  return {.always_on = outcome(600, 1ms),
          .slots = 10,
          .added_wait = 30ms,
          .tried = std::move(candidates)};
}

TEST(WhatIf, TheCheapestThatKeepsTheWaitingIsTheAnswer) {
  const WhatIf what = tried({{.keep = 0, .outcome = outcome(100, 2s)},
                             {.keep = 1, .outcome = outcome(190, 4ms)},
                             {.keep = 1, .utilization = 75, .outcome = outcome(188, 4ms)},
                             {.keep = 1, .utilization = 90, .outcome = outcome(150, 4ms, 7)}});
  EXPECT_EQ(what.best().policy(), "bellows:min-scale=1:target-utilization-percentage=75");
  EXPECT_EQ(
      what_if_text(what),
      "Keep 1, target 7.5 (min-scale: 1, target-utilization-percentage: 75): saves 412 of 600 "
      "replica-hours (69%), p99 +3.00ms, beside 25 replicas all the time, the fewest that take 99% "
      "of the requests as they come.\n"
      "Of 4 settings it is the cheapest that stays within +30.0ms in the p99 wait (a tenth of the "
      "requests' p99, at least 10ms).");
  const report::Rows rows = what_if_rows(what);
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows.front(),
            (std::vector<std::string>{"bellows:min-scale=1:target-utilization-percentage=75", "1",
                                      "7.5", "188", "4.00ms", "0", "0"}));
  EXPECT_EQ(rows.back()[0], "all the time");
}

TEST(WhatIf, IfNoneKeepsTheWaitingTheShortestIsTheAnswerAndItSaysSo) {
  const WhatIf what =
      tried({{.keep = 0, .outcome = outcome(100, 2s)}, {.keep = 1, .outcome = outcome(190, 1s)}});
  EXPECT_EQ(what.best().keep, 1);
  EXPECT_NE(what_if_text(what).find("Keep 1, target 10 (min-scale: 1, the default headroom)"),
            std::string::npos);
  EXPECT_NE(what_if_text(what).find("None of 2 settings stays within +30.0ms"), std::string::npos);
}

/// A load of `per_second` requests of a second each.
struct Load {
  explicit Load(std::vector<std::uint32_t> per_second) {
    workload.traffic.length = std::chrono::seconds(per_second.size());
    workload.traffic.per_second = std::move(per_second);
    workload.app.service = Distribution::fixed(1s);
    profile = profile_load(workload);
    settings.container_concurrency = 10;
  }
  Demand demand() const { return {profile, workload.app, settings}; }

  Workload workload;
  LoadProfile profile;
  config::RevisionSettings settings;
};

TEST(WhatIf, AlwaysOnTakesAllButAHundredthOfTheRequests) {
  std::vector<std::uint32_t> counts(1000, 20);
  counts[500] = 150;
  const Load load(counts);
  const PodCount replicas = always_on_replicas(load.demand(), load.profile);
  EXPECT_GE(replicas, 3);  // up to two seconds' requests at once
  EXPECT_LE(replicas, 4);
  const Load quiet({0, 0, 1});
  EXPECT_EQ(always_on_replicas(quiet.demand(), quiet.profile), 1);
}

TEST(WhatIf, AFixedNumberHoldsWhateverBoundsAreSet) {
  for (const char* set : {"", "activation-scale=3", "min-scale=2,max-scale=4",
                          "initial-scale=7,activation-scale=5"}) {
    const auto usual = read_policies("bellows", set);
    ASSERT_TRUE(usual) << set;
    for (const PodCount replicas : {1, 3, 9}) {
      const Policy fixed = always_on(usual->front(), replicas);
      const std::string number = std::to_string(replicas);
      EXPECT_EQ(fixed.name, "bellows:min-scale=" + number + ":max-scale=" + number +
                                ":initial-scale=" + number);
      EXPECT_EQ(fixed.settings.min_scale, replicas) << set;
      EXPECT_EQ(fixed.settings.max_scale, replicas) << set;
      EXPECT_EQ(fixed.settings.initial_scale, replicas) << set;
      EXPECT_FALSE(fixed.settings.activation_scale) << set;
    }
  }
}

TEST(WhatIf, WhatTheQuietestTimeFillsIsKept) {
  const Load none(std::vector<std::uint32_t>(100, 0));
  EXPECT_EQ(replicas_to_keep(none.demand()), (std::vector<PodCount>{0, 1}));
  const Load steady(std::vector<std::uint32_t>(100, 45));
  const std::vector<PodCount> keep = replicas_to_keep(steady.demand());
  ASSERT_EQ(keep.size(), 3U);
  EXPECT_GE(keep[2], 4);
}

TEST(WhatIf, ATenthOfTheP99MayBeAdded) {
  Load load({1});
  EXPECT_EQ(wait_that_may_be_added(load.workload), 100ms);
  load.workload.traffic.service = Distribution::fixed(20ms);
  EXPECT_EQ(wait_that_may_be_added(load.workload), 10ms);
}

}  // namespace
}  // namespace bellows::simulator
