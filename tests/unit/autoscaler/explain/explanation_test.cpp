#include "autoscaler/explain/explanation.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/autoscaler/explain/clock_text.hpp"

namespace bellows::autoscaler::explain::test {
namespace {

using autoscaler::test::active_since;
using autoscaler::test::at;
using autoscaler::test::inactive_since;
using autoscaler::test::load;
using autoscaler::test::panicking_since;
using autoscaler::test::spec_of;
using autoscaler::test::Story;

/// Seven in flight per replica, everything else as Bellows has it.
ScalingSpec seven_per_replica() {
  ScalingSpec spec = spec_of("bellows");
  spec.target = 7;
  spec.total = 10;
  return spec;
}

std::string explain_decision(const ScalingSpec& spec, const Observation& seen,
                             const DeciderState& state = {}, TimePoint now = at(0)) {
  const std::vector<Decision> decisions = {decide(spec, seen, state, now)};
  return explanation("web", decisions, {}, clock_text);
}

TEST(Explanation, OfAMeanShowsLoadTargetAndHowFarPanicIs) {
  EXPECT_EQ(explain_decision(seven_per_replica(), load(31.2, 20, 5), active_since(at(-600))),
            "web should have 5 replicas, since 14:00:00 or longer; 5 are ready. The reason is: "
            "31.2 requests in flight over 1m + 13.4 headroom: 44.6 / 10, rounded up: 5. Panic mode "
            "starts at 2 times the target per replica; the load is at 0.6.");
}

TEST(Explanation, OfPanicShowsTheOtherWindowAndWhenItEnds) {
  Story story(active_since(at(-600)));
  const ScalingSpec spec = seven_per_replica();
  Observation seen = load(10, 8, 2);
  seen.newest = 10;
  std::vector<Decision> decisions = {story.decide(spec, seen, at(0))};
  seen = load(14, 60, 2);
  seen.newest = 14;  // they have gone again
  decisions.push_back(story.decide(spec, seen, at(2)));
  seen.starting = 7;
  seen.requested = 9;
  decisions.push_back(story.decide(spec, seen, at(4)));
  EXPECT_EQ(explanation("web", decisions, {}, clock_text),
            "web should have 9 replicas, since 14:00:02; 2 are ready, 7 are starting. The reason "
            "is: 60 requests in flight over 6s + 21.5 headroom: 81.5 / 10, rounded up: 9; the load "
            "of the last 1m alone would take 2. Nothing scales down before 14:01:04, or later if "
            "the load rises like that again.");
}

TEST(Explanation, OfALimitShowsWhatThereWouldHaveBeen) {
  ScalingSpec spec = seven_per_replica();
  spec.max_scale = 4;
  EXPECT_EQ(explain_decision(spec, load(31.2, 31, 4), active_since(at(-600))),
            "web should have 4 replicas, since 14:00:00 or longer; 4 are ready. The reason is: "
            "31.2 requests in flight over 1m + 13.4 headroom: 44.6 / 10, rounded up: 5; limited to "
            "4 by max-scale. More load changes nothing until max-scale is raised.");
}

TEST(Explanation, OfThePanicHoldShowsSinceWhen) {
  DeciderState state = panicking_since(at(-20), 20);
  state.activity = {Serving::kActive, at(-600)};
  EXPECT_EQ(explain_decision(seven_per_replica(), load(30, 12, 20), state),
            "web should have 20 replicas, since 14:00:00 or longer; 20 are ready. The reason is: "
            "30 requests in flight over 1m + 12.9 headroom: 42.9 / 10, rounded up: 5; kept at 20 "
            "by panic mode since 13:59:40. Panic mode ends at 14:00:40, or later if the load rises "
            "like that again.");
}

TEST(Explanation, OfATriggerShowsWaitingRequests) {
  Observation seen;
  seen.waiting = 20;
  EXPECT_EQ(explain_decision(seven_per_replica(), seen, inactive_since(at(-600))),
            "web should have 3 replicas, since 14:00:00 or longer; none is ready. The reason is: "
            "20 requests waiting, no ready replica: 20 / 7, rounded up: 3.");
}

TEST(Explanation, OfReplicasThatDoNotReportShowsHowLongTheyAreKept) {
  Observation seen = load(14, 14, 2);
  seen.not_reporting = 2;
  seen.ready = seen.requested = 4;
  EXPECT_EQ(explain_decision(seven_per_replica(), seen, active_since(at(-600))),
            "web should have 4 replicas, since 14:00:00 or longer; 4 are ready. The reason is: 2 "
            "replicas of 4 ready ones did not report, so their load is unknown: held. That lasts "
            "until they report, at the latest until 14:10:00.");
}

TEST(Explanation, OfTheLastReplicaShowsWhenItGoes) {
  ScalingSpec spec = seven_per_replica();
  spec.rules.keep_alive = config::KeepAlive::kWindow;
  Observation seen = load(0, 0, 1);
  seen.idle_for = std::chrono::seconds(70);
  DeciderState state = inactive_since(at(-10));
  state.is_initialised = true;
  EXPECT_EQ(explain_decision(spec, seen, state),
            "web should have 1 replica, since 14:00:00 or longer; 1 is ready. The reason is: no "
            "request for 10.0s, the last replica stays for scale-to-zero-grace-period 30s. Without "
            "a request it is removed at 14:00:20.");
}

TEST(Explanation, AtZeroShowsThatTheFirstRequestStartsOne) {
  DeciderState state = inactive_since(at(-600));
  state.is_initialised = true;
  Observation seen = load(0, 0, 0);
  EXPECT_EQ(explain_decision(seven_per_replica(), seen, state),
            "web should have no replicas, since 14:00:00 or longer; none is ready. The reason is: "
            "no requests for 10m. The next request starts one.");
}

TEST(Explanation, TellsBeforehandThatAnotherReplicaWouldNotFit) {
  Observation seen = load(26, 26, 4);
  seen.room_more = 0;
  const std::string told =
      " The machine has no room for another replica of it (`bellows status` shows what fits).";
  const std::string text = explain_decision(seven_per_replica(), seen, active_since(at(-600)));
  EXPECT_TRUE(text.ends_with(told)) << text;
  seen.room_more = 1;
  const std::string fits = explain_decision(seven_per_replica(), seen, active_since(at(-600)));
  EXPECT_EQ(fits.find("machine"), std::string::npos) << fits;
  ScalingSpec spec = seven_per_replica();
  spec.max_scale = 4;
  seen.room_more = 0;
  const std::string at_most = explain_decision(spec, seen, active_since(at(-600)));
  EXPECT_EQ(at_most.find("machine"), std::string::npos) << at_most;
}

TEST(Explanation, TellsThatItStartsMoreThanTheMachineHasRoomFor) {
  Observation seen = load(62, 62, 4);
  seen.room_more = 2;
  const std::string text = explain_decision(seven_per_replica(), seen, active_since(at(-600)));
  EXPECT_TRUE(
      text.ends_with("The machine has room for 2 of the 5 replicas that it starts (`bellows "
                     "status` shows what fits)."))
      << text;
}

TEST(Explanation, OfTheSeedShowsTheLoadOfOneReplica) {
  ScalingSpec spec = spec_of("seed");
  spec.target = 10;
  EXPECT_EQ(explain_decision(spec, load(150, 150, 10), active_since(at(-5))),
            "web should have 15 replicas, since 14:00:00 or longer; 10 are ready. The reason is: "
            "15 requests in flight per replica over 1m, 10 replicas: 150 / 10 = 15. Panic mode "
            "starts at 2 times the target per replica; the load is at 1.5.");
}

}  // namespace
}  // namespace bellows::autoscaler::explain::test
