// Diaries of shares that change: at t, with these replicas, expect that.
#include "machine/core/rollout.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/start.hpp"
#include "tests/unit/machine/core/sample_service.hpp"

namespace bellows::machine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using bellows::test::kStart;

TimePoint at(Duration since) {
  return kStart + since;
}

Rollout deploy_of(PodCount needed) {
  return Rollout({.service = RevisionId("web"),
                  .cause = "deploy",
                  .shares = {{2, 100}},
                  .needed = {{2, needed}},
                  .progress_deadline = seconds(60)},
                 kStart);
}

TEST(Rollout, SharesChangeWhenAsManyReplicasAreReadyAsTheLoadNeeds) {
  Rollout deploy = deploy_of(3);
  EXPECT_EQ(deploy.message(), "web-00002: 0 of 3 replicas ready");
  EXPECT_EQ(deploy.look({}, at(milliseconds(20))), Stage::kStarting);
  EXPECT_EQ(deploy.look({{2, {.ready = 2}}}, at(seconds(1))), Stage::kStarting);
  EXPECT_EQ(deploy.message(), "web-00002: 2 of 3 replicas ready");
  EXPECT_EQ(deploy.look({{2, {.ready = 3}}}, at(seconds(2))), Stage::kReady);
  deploy.done(at(seconds(2)));
  EXPECT_EQ(deploy.stage(), Stage::kDone);
  EXPECT_EQ(deploy.took(at(seconds(100))), seconds(2));
}

TEST(Rollout, SaysWhyNoReplicaIsReadyYet) {
  Rollout deploy = deploy_of(1);
  deploy.look({{2, {.not_ready = "web-00002-1: not ready yet: it listens elsewhere"}}},
              at(seconds(3)));
  EXPECT_EQ(deploy.message(),
            "web-00002: 0 of 1 replica ready (web-00002-1: not ready yet: it listens elsewhere)");
}

TEST(Rollout, ACrashLoopFailsAtOnceWithTheReason) {
  Rollout deploy = deploy_of(1);
  EXPECT_EQ(deploy.look({{2, {.ready = 0, .failure = "web-00002-1: the app exited with code 3"}}},
                        at(seconds(1))),
            Stage::kFailed);
  EXPECT_EQ(deploy.message(),
            "web-00002 does not become ready: web-00002-1: the app exited with code 3");
}

TEST(Rollout, WhatIsNotReadyInTimeFailsAndSaysHowFarItCame) {
  Rollout deploy = deploy_of(3);
  EXPECT_EQ(deploy.look({{2, {.ready = 1}}}, at(seconds(60) - milliseconds(1))), Stage::kStarting);
  EXPECT_EQ(deploy.look({{2, {.ready = 1}}}, at(seconds(60))), Stage::kFailed);
  EXPECT_EQ(deploy.message(),
            "web-00002: 1 of 3 replicas ready within the progress-deadline of 1m");
}

TEST(Rollout, OneThatIsReadyAtTheDeadlineIsDone) {
  Rollout deploy = deploy_of(1);
  EXPECT_EQ(deploy.look({{2, {.ready = 1}}}, at(seconds(60))), Stage::kReady);
}

TEST(Rollout, AFailureOfOneReplicaWhileOthersAreReadyIsWaitedOut) {
  Rollout deploy = deploy_of(2);
  EXPECT_EQ(deploy.look({{2, {.ready = 1, .failure = "web-00002-2 crashed"}}}, at(seconds(1))),
            Stage::kStarting);
  EXPECT_EQ(deploy.look({{2, {.ready = 2}}}, at(seconds(3))), Stage::kReady);
}

TEST(Rollout, ASplitWaitsForEachOfItsRevisions) {
  Rollout split({.service = RevisionId("web"),
                 .cause = "split",
                 .shares = {{1, 90}, {2, 10}},
                 .needed = {{1, 4}, {2, 1}},
                 .progress_deadline = seconds(60)},
                kStart);
  EXPECT_EQ(split.look({{1, {.ready = 4}}}, at(seconds(1))), Stage::kStarting);
  EXPECT_EQ(split.message(), "web-00001: 4 of 4 replicas ready, web-00002: 0 of 1 replica ready");
  EXPECT_EQ(split.look({{1, {.ready = 4}}, {2, {.ready = 1}}}, at(seconds(2))), Stage::kReady);
}

TEST(Rollout, OfAProvenRevisionOfAServiceAtZeroStartsNothing) {
  Rollout back = deploy_of(0);
  EXPECT_EQ(back.message(), "nothing has to start");
  EXPECT_EQ(back.look({}, kStart), Stage::kReady);
}

TEST(Rollout, WhatCannotBeWrittenFailsAfterItWasReady) {
  Rollout deploy = deploy_of(1);
  EXPECT_EQ(deploy.look({{2, {.ready = 1}}}, at(seconds(1))), Stage::kReady);
  deploy.fail("state file /x: No space left on device", at(seconds(1)));
  EXPECT_EQ(deploy.stage(), Stage::kFailed);
  EXPECT_EQ(deploy.look({{2, {.ready = 1}}}, at(seconds(2))), Stage::kFailed);
}

TEST(ReplicasForATakeover, AreThoseThatTheLoadHas) {
  EXPECT_EQ(replicas_for({.serving = 5, .share = 100}), 5);
  EXPECT_EQ(replicas_for({.serving = 5, .share = 10}), 1);
  EXPECT_EQ(replicas_for({.serving = 5, .share = 90}), 5);
  EXPECT_EQ(replicas_for({.serving = 5, .share = 0}), 0);
  EXPECT_EQ(replicas_for({.serving = 5, .share = 100, .max_scale = 3}), 3);
}

TEST(ReplicasForATakeover, AreNoMoreThanTheLoadNeeds) {
  const Takeover four_of_a_canary{.serving = 4, .demand = 0.025, .share = 100};
  EXPECT_EQ(replicas_for(four_of_a_canary), 1);
  EXPECT_EQ(replicas_for({.serving = 6, .demand = 3.2, .share = 100}), 4);
  EXPECT_EQ(replicas_for({.serving = 6, .demand = 3.2, .share = 50}), 2);
  EXPECT_EQ(replicas_for({.serving = 2, .demand = 9, .share = 100}), 2);
}

TEST(ReplicasForATakeover, AtZeroAreOneProof) {
  EXPECT_EQ(replicas_for({.serving = 0, .share = 100, .is_proven = false}), 1);
  EXPECT_EQ(replicas_for({.serving = 0, .share = 100, .is_proven = true}), 0);
}

TEST(SettingsInForce, KeepCapacityDuringATakeoverAndNoneWithoutAShare) {
  config::RevisionSettings settings = sample_service().settings;
  settings.min_scale = 2;
  EXPECT_EQ(settings_in_force(settings, 100, 0).min_scale, 2);
  EXPECT_EQ(settings_in_force(settings, 100, 4).min_scale, 4);
  EXPECT_EQ(settings_in_force(settings, 100, 4).min_scale_from, config::MinScaleFrom::kDeploy);
  EXPECT_EQ(settings_in_force(settings, 100, 2).min_scale_from, config::MinScaleFrom::kSetting);
  EXPECT_EQ(settings_in_force(settings, 0, 4).min_scale, 4);
  EXPECT_EQ(settings_in_force(settings, 0, 4).initial_scale, 4);
  EXPECT_EQ(settings_in_force(settings, 0, 0).min_scale, 0);
}

TEST(Leaving, EndsWithTheLastRequestOrAfterItsTime) {
  const Leaving leaving{.service = RevisionId("web"), .since = kStart, .at_most = seconds(300)};
  EXPECT_FALSE(leaving.is_over(true, at(seconds(299))));
  EXPECT_TRUE(leaving.is_over(false, at(milliseconds(20))));
  EXPECT_TRUE(leaving.is_over(true, at(seconds(300))));
}

}  // namespace
}  // namespace bellows::machine
