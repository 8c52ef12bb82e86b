#include "autoscaler/service/autoscaler_service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "autoscaler/journal/decision_json.hpp"
#include "autoscaler/journal/decision_replay.hpp"
#include "autoscaler/journal/journal_lines.hpp"
#include "config/profiles.hpp"
#include "tests/integration/autoscaler/autoscaler_world.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::autoscaler::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

TEST(AutoscalerFromZero, TheFirstTriggerIsOrderedAtOnce) {
  AutoscalerWorld world;
  world.deploy(0);
  world.trigger(1);
  ASSERT_EQ(world.cluster.orders().size(), 1U);
  EXPECT_EQ(world.cluster.orders()[0].order.desired, 1);
  EXPECT_THAT(world.cluster.orders()[0].order.reason,
              HasSubstr("1 request waiting, no ready replica"));
}

TEST(AutoscalerFromZero, TheFirstLoadInAStatIsEnoughIfTheTriggerWasLost) {
  AutoscalerWorld world;
  world.deploy(0);
  world.report("activator", 0.4, {}, metrics::StatSource::kActivator);
  EXPECT_EQ(world.requested(), 1);
}

TEST(AutoscalerFromZero, MoreTriggersForTheSameReplicaOrderNothingMore) {
  AutoscalerWorld world;
  world.deploy(0);
  for (int i = 1; i <= 5; ++i) world.trigger(1);
  world.pass(std::chrono::seconds(2));
  EXPECT_EQ(world.cluster.orders().size(), 1U);
}

TEST(AutoscalerFromZero, CallersWhoComeTogetherGetTheirReplicasWithTheNextTrigger) {
  AutoscalerWorld world;
  config::RevisionSettings settings = AutoscalerWorld::ten_per_replica();
  world.deploy(0, settings);
  world.trigger(1);
  ASSERT_EQ(world.requested(), 1);
  world.trigger(700);  // the others were read milliseconds later
  EXPECT_GE(world.requested(), 7);
  EXPECT_EQ(world.cluster.orders().size(), 2U);
}

TEST(AutoscalerFromZero, ATriggerIsObeyedEvenIfTheListIsOld) {
  // It ordered zero, and the list still says one when the next caller comes.
  AutoscalerWorld world;
  world.deploy(1);
  world.seconds(62, 1, 0);
  world.cluster.list_is_stale(true);
  world.seconds(30, 1, 0);
  ASSERT_EQ(world.cluster.orders().back().order.desired, 0);
  world.trigger(1);
  EXPECT_EQ(world.cluster.orders().back().order.desired, 1);
}

TEST(AutoscalerScaling, GrowsWithTheLoadAndShrinksIdleFirst) {
  AutoscalerWorld world;
  world.deploy(3);
  world.seconds(70, 3, 30);
  EXPECT_EQ(world.requested(), 3);
  for (int i = 0; i < 62; ++i) {
    world.clock.advance(std::chrono::seconds(1));
    world.report("web-1", 7);
    world.report("web-2", 0);
    world.report("web-3", 4);
    world.service->tick();
    world.run();
  }
  const cluster::ScaleOrder& order = world.cluster.orders().back().order;
  EXPECT_EQ(order.desired, 2);
  EXPECT_THAT(order.drain_first,
              testing::ElementsAre(PodName("web-2"), PodName("web-3"), PodName("web-1")));
}

TEST(AutoscalerScaling, ReplicasThatStayPendingAreOrderedOnce) {
  AutoscalerWorld world;
  world.deploy(1);
  world.seconds(60, 1, 5);
  world.seconds(40, 1, 80);
  EXPECT_EQ(world.requested(), 8);
  const auto orders = world.cluster.orders().size();
  world.seconds(40, 1, 80);
  EXPECT_EQ(world.cluster.orders().size(), orders);
}

TEST(AutoscalerThatStandsBy, GivesTheNewestOrderOnceItTakesOver) {
  AutoscalerWorld world;
  world.cluster.stand_by(true);
  world.deploy(1);
  world.seconds(60, 1, 5);
  world.seconds(40, 1, 80);
  EXPECT_EQ(world.last().replicas, 8);
  EXPECT_EQ(world.cluster.orders().size(), 0U);
  world.cluster.stand_by(false);
  world.pass(milliseconds(100));
  ASSERT_EQ(world.cluster.orders().size(), 1U);
  EXPECT_EQ(world.requested(), 8);
}

TEST(AutoscalerThatStandsBy, DoesNotRepeatTheOrderOfTheOther) {
  AutoscalerWorld world;
  world.cluster.stand_by(true);
  world.deploy(1);
  world.seconds(60, 1, 5);
  world.seconds(40, 1, 80);
  world.serve(8);  // as the other one ordered
  world.seconds(10, 8, 80);
  world.cluster.stand_by(false);
  world.seconds(2, 8, 80);
  EXPECT_EQ(world.cluster.orders().size(), 0U);
}

TEST(AutoscalerRejected, IsTriedAgainWithGrowingDelay) {
  AutoscalerWorld world;
  world.deploy(0);
  for (int i = 0; i < 3; ++i) world.cluster.handle_rejection(ErrorKind::kUnavailable);
  world.trigger(1);
  EXPECT_EQ(world.cluster.orders().size(), 1U);
  world.pass(milliseconds(99));
  EXPECT_EQ(world.cluster.orders().size(), 1U);
  world.pass(milliseconds(1));
  EXPECT_EQ(world.cluster.orders().size(), 2U);
  world.pass(milliseconds(199));
  EXPECT_EQ(world.cluster.orders().size(), 2U);
  world.pass(milliseconds(1));
  EXPECT_EQ(world.cluster.orders().size(), 3U);
  world.pass(milliseconds(400));
  EXPECT_EQ(world.requested(), 1);
}

TEST(AutoscalerRejected, AConflictIsTriedAgainToo) {
  AutoscalerWorld world;
  world.deploy(0);
  world.cluster.handle_rejection(ErrorKind::kConflict);
  world.trigger(1);
  world.pass(milliseconds(100));
  EXPECT_EQ(world.requested(), 1);
}

TEST(AutoscalerRejected, ANewerOrderReplacesTheOneThatWaits) {
  AutoscalerWorld world;
  world.deploy(0);
  world.cluster.handle_rejection(ErrorKind::kTimeout);
  world.trigger(1);
  world.clock.advance(milliseconds(50));
  world.report("activator", 40, {}, metrics::StatSource::kActivator);
  world.pass(std::chrono::seconds(2));
  ASSERT_EQ(world.cluster.orders().size(), 2U);
  EXPECT_EQ(world.requested(), 4);
}

TEST(AutoscalerRejected, AnUnknownRevisionIsNotTriedAgainByItself) {
  AutoscalerWorld world;
  world.deploy(0);
  world.cluster.handle_rejection(ErrorKind::kNotFound);
  world.trigger(1);
  world.pass(milliseconds(500));
  EXPECT_EQ(world.cluster.orders().size(), 1U);
}

TEST(AutoscalerSlowCluster, HasOneOrderUnderWayPerRevision) {
  AutoscalerWorld world;
  world.deploy(0);
  world.cluster.hold();
  world.trigger(1);
  for (int i = 0; i < 5; ++i) {
    world.clock.advance(std::chrono::seconds(1));
    world.report("activator", 30, {}, metrics::StatSource::kActivator);
    world.service->tick();
    world.run();
  }
  EXPECT_EQ(world.cluster.orders().size(), 1U);
  world.cluster.let_go();
  world.run();
  EXPECT_EQ(world.cluster.orders().size(), 2U);
  EXPECT_EQ(world.cluster.max_under_way(), 1);
  EXPECT_EQ(world.requested(), 3);
}

// The owner of the replicas was killed: the next one begins with none and knows of no order.
TEST(AutoscalerNewOwner, OfTheReplicasGetsTheOrderAtOnce) {
  AutoscalerWorld world;
  world.deploy(3);
  world.seconds(70, 3, 30);
  ASSERT_EQ(world.requested(), 3);
  const auto orders = world.cluster.orders().size();
  world.serve(0);
  ASSERT_EQ(world.cluster.orders().size(), orders + 1) << "without a tick";
  EXPECT_EQ(world.cluster.orders().back().order.desired, 3);
}

TEST(AutoscalerStaleList, TheSameOrderAgainDoesNoHarm) {
  AutoscalerWorld world;
  world.deploy(1);
  world.cluster.list_is_stale(true);
  world.seconds(60, 1, 5);
  world.seconds(20, 1, 80);
  for (const auto& taken : world.cluster.orders()) EXPECT_LE(taken.order.desired, 8);
  EXPECT_EQ(world.requested(), 8);
}

TEST(AutoscalerStaleList, StatsOfARevisionThatIsNotListedAreCountedAndDropped) {
  AutoscalerWorld world;
  world.trigger(1);
  EXPECT_EQ(world.service->registry().counters().unknown_revision, 1U);
  EXPECT_TRUE(world.cluster.orders().empty());
}

TEST(AutoscalerRemoved, TheRevisionAndItsSeriesAreForgotten) {
  AutoscalerWorld world;
  world.deploy(1);
  world.seconds(2, 1, 5);
  EXPECT_THAT(world.registry->expose(), HasSubstr("revision=\"web\",service=\"web\""));
  world.cluster.remove("web");
  world.run();
  world.pass(std::chrono::seconds(4));
  EXPECT_EQ(world.service->registry().find(RevisionId("web")), nullptr);
  EXPECT_THAT(world.registry->expose(), Not(HasSubstr("revision=\"web\",service=\"web\"")));
}

TEST(AutoscalerRetired, OrdersNothingMore) {
  AutoscalerWorld world;
  world.deploy(2);
  world.seconds(4, 2, 5);
  const auto orders = world.cluster.orders().size();
  world.cluster.truth("web").state = cluster::RevisionState::kRetired;
  world.cluster.publish();
  world.run();
  EXPECT_EQ(world.last().rule, Rule::kRetired);
  world.trigger(5);
  world.pass(std::chrono::seconds(2));
  EXPECT_EQ(world.cluster.orders().size(), orders);
}

class AutoscalerRestart : public testing::Test {
 protected:
  /// One replica, then 200 at once: panic, 20 wanted and serving, the load already gone again.
  void live_through_a_burst() {
    world_.start(state_file_);
    world_.deploy(1);
    world_.seconds(60, 1, 5);
    world_.seconds(8, 1, 200);
    world_.serve(10);
    world_.seconds(4, 10, 200);
    world_.serve(20);
    world_.seconds(6, 20, 40);
    ASSERT_EQ(world_.last().mode, Mode::kPanic);
    ASSERT_EQ(world_.last().replicas, 20);
  }

  /// What the senders do within a second of a restart.
  void replay() {
    for (int ago = 60; ago >= 0; --ago) {
      const PodCount replicas = ago > 10 ? 1 : ago > 6 ? 10 : 20;
      const double load = ago > 18 ? 5 : ago > 6 ? 200 : 40;
      for (PodCount pod = 1; pod <= replicas; ++pod) {
        world_.report("web-" + std::to_string(pod), load / replicas, std::chrono::seconds(ago));
      }
    }
  }

  bellows::test::TemporaryFolder folder_;
  std::string state_file_ = folder_.path("state.json");
  AutoscalerWorld world_;
};

TEST_F(AutoscalerRestart, InABurstWantsTheSameWithinThreeSeconds) {
  live_through_a_burst();
  const auto orders = world_.cluster.orders().size();
  world_.clock.advance(milliseconds(500));
  world_.start(state_file_);
  EXPECT_EQ(world_.last().replicas, 20);  // before any stat
  world_.clock.advance(milliseconds(500));
  replay();
  world_.seconds(2, 20, 40);
  EXPECT_EQ(world_.last().replicas, 20);
  EXPECT_EQ(world_.last().mode, Mode::kPanic);
  EXPECT_EQ(world_.cluster.orders().size(), orders);
}

TEST_F(AutoscalerRestart, LeavesPanicWhenItWouldHaveBeenOver) {
  live_through_a_burst();
  const TimePoint last_over = world_.last().after.panic->last_over;
  world_.start(state_file_);
  replay();
  world_.seconds(2, 20, 40);
  ASSERT_TRUE(world_.last().after.panic);
  EXPECT_NEAR(to_seconds(world_.last().after.panic->last_over - last_over), 0, 0.3);
}

TEST_F(AutoscalerRestart, WithABrokenSnapshotStillHoldsWhatRuns) {
  live_through_a_burst();
  std::ofstream(state_file_) << R"({"version":2,"saved_at_unix_ms":1,"revisions":[{"name":3}]})";
  world_.start(state_file_);
  EXPECT_EQ(world_.last().replicas, 20);
  replay();
  world_.seconds(4, 20, 40);
  EXPECT_EQ(world_.last().replicas, 20);
}

TEST_F(AutoscalerRestart, OneThatEndsBeforeTheFirstListLeavesTheSnapshotAlone) {
  live_through_a_burst();
  const SavedStates before = read_state_file(state_file_).value();
  ASSERT_FALSE(before.revisions.empty());
  world_.cluster.is_ready(false);
  world_.start(state_file_);
  bellows::test::run_task<void>(world_.io, [&] {
    return world_.service->stop(world_.clock.now() + std::chrono::seconds(1));
  });
  EXPECT_EQ(read_state_file(state_file_).value(), before);
}

TEST_F(AutoscalerRestart, AStateFileThatCannotBeWrittenStopsNothing) {
  world_.start("/nonexistent/state.json");
  world_.deploy(0);
  world_.trigger(1);
  world_.pass(std::chrono::seconds(1));
  EXPECT_EQ(world_.requested(), 1);
}

TEST_F(AutoscalerRestart, AStateFileThatCouldNotBeWrittenIsWrittenWhenItCan) {
  const std::string folder = folder_.path("later");
  const std::string file = folder + "/state.json";
  world_.start(file);
  world_.deploy(0);
  world_.trigger(1);
  world_.pass(std::chrono::seconds(1));
  ASSERT_FALSE(std::filesystem::exists(file));
  ASSERT_TRUE(std::filesystem::create_directory(folder));
  const auto decisions =
      world_.service->registry().find(RevisionId("web"))->journal.entries().size();
  world_.pass(milliseconds(300));
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_EQ(world_.service->registry().find(RevisionId("web"))->journal.entries().size(), decisions)
      << "no new decision was needed";
}

/// What the journal of "web" tells when it is replayed, beside what was decided.
void expect_replayed(const AutoscalerWorld& world) {
  const Journal& kept = world.service->registry().find(RevisionId("web"))->journal;
  std::istringstream lines(journal::journal_lines(kept, {RevisionId("web"), Duration(0)}));
  const journal::JournalContents journal_contents = journal::read_journal(lines).value();
  const std::vector<JournalEntry> entries = kept.entries();
  ASSERT_EQ(journal_contents.decisions.size(), entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Decision& decided = entries[i].decision;
    const double at = to_seconds(decided.at.time_since_epoch());
    EXPECT_EQ(journal::answer_line(journal_contents.decisions[i], at),
              journal::answer_line(decided, at));
  }
}

TEST(AutoscalerJournal, OfABurstAndItsEndIsReplayedToTheSameDecisions) {
  AutoscalerWorld world;
  world.deploy(0);
  world.trigger(3);
  world.serve(1);
  expect_replayed(world);
  world.seconds(20, 1, 40);
  world.serve(world.last().replicas);
  expect_replayed(world);
  world.seconds(40, 4, 30);
  expect_replayed(world);  // its beginning was dropped by now
  world.seconds(150, 4, 0);
  expect_replayed(world);
}

TEST(AutoscalerJournal, ContinuesThroughChangedSettings) {
  for (const config::Profile profile :
       {config::Profile::kBellows, config::Profile::kKnative, config::Profile::kSeed}) {
    AutoscalerWorld world;
    auto settings = AutoscalerWorld::ten_per_replica();
    settings.profile = profile;
    config::set_rules_of(profile, settings.rules);
    world.deploy(1, settings);
    world.seconds(10, 1, 25);
    settings.max_scale = 3;
    world.cluster.truth("web").settings = settings;
    world.serve(3);
    world.seconds(10, 3, 90);
    settings.max_scale = 0;
    settings.window = std::chrono::seconds(30);
    world.cluster.truth("web").settings = settings;
    world.serve(3);
    world.seconds(10, 3, 90);
    EXPECT_GT(world.last().replicas, 3);
    expect_replayed(world);
  }
}

TEST(AutoscalerMetrics, ShowWhatWasDecidedAndWhy) {
  AutoscalerWorld world;
  world.deploy(1);
  world.seconds(60, 1, 5);
  world.seconds(6, 1, 80);
  world.service->refresh_metrics();
  const std::string text = world.registry->expose();
  EXPECT_THAT(text,
              HasSubstr("bellows_autoscaler_desired_pods{revision=\"web\",service=\"web\"} 8"));
  EXPECT_THAT(text, HasSubstr("bellows_autoscaler_panic_mode{revision=\"web\",service=\"web\"} 1"));
  EXPECT_THAT(
      text, HasSubstr("bellows_autoscaler_panic_concurrency{revision=\"web\",service=\"web\"} 80"));
  EXPECT_THAT(
      text,
      HasSubstr("bellows_autoscaler_state{revision=\"web\",service=\"web\",state=\"Active\"} 1"));
  EXPECT_THAT(text, HasSubstr("bellows_autoscaler_stats_received_total 66"));
  EXPECT_THAT(text, HasSubstr("bellows_autoscaler_decisions_total{reason=\"panic-target\","
                              "revision=\"web\",service=\"web\"}"));
}

}  // namespace
}  // namespace bellows::autoscaler::test
