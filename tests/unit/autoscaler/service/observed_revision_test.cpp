#include "autoscaler/service/observed_revision.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stat_diary.hpp"

namespace bellows::autoscaler::test {
namespace {

using bellows::test::StatDiary;
using cluster::ReplicaPhase;
using metrics::StatSource;

constexpr Duration kDeadAfter = std::chrono::seconds(3);

cluster::Replica replica(const std::string& name, ReplicaPhase phase) {
  cluster::Replica replica;
  replica.name = PodName(name);
  replica.phase = phase;
  return replica;
}

cluster::RevisionPtr listed(std::vector<cluster::Replica> replicas, PodCount requested = 0) {
  cluster::Revision revision;
  revision.id = RevisionId("web");
  revision.requested = requested;
  revision.replicas = cluster::next_replicas(std::move(replicas), {});
  return std::make_shared<const cluster::Revision>(std::move(revision));
}

void report(ObservedRevision& revision, const std::string& pod, double load, std::int64_t second,
            StatSource source = StatSource::kReplica) {
  revision.record(StatDiary::stat(pod, second, load, source), StatDiary::at(second));
}

Observation observe(ObservedRevision& revision, std::int64_t second) {
  return revision.observe(StatDiary::at(second));
}

TEST(ObservedReplicas, ThoseThatStartOrLeaveDoNotServeEvenIfTheyReport) {
  ObservedRevision revision(
      listed({replica("a", ReplicaPhase::kReady), replica("b", ReplicaPhase::kStarting),
              replica("c", ReplicaPhase::kDraining), replica("d", ReplicaPhase::kFailed)},
             4),
      kDeadAfter);
  for (const char* pod : {"a", "b", "c", "d"}) report(revision, pod, 1, 0);
  const Observation seen = observe(revision, 0);
  EXPECT_EQ(seen.observed, 1);
  EXPECT_EQ(seen.ready, 1);
  EXPECT_EQ(seen.starting, 2);
  EXPECT_EQ(seen.not_reporting, 0);
  EXPECT_EQ(seen.requested, 4);
}

TEST(ObservedReplicas, OneThatTheOldListDoesNotHaveYetServes) {
  ObservedRevision revision(listed({}), kDeadAfter);
  report(revision, "new", 3, 0);
  EXPECT_EQ(observe(revision, 0).observed, 1);
}

TEST(ObservedReplicas, OneThatLeftTheListIsDeadAtOnce) {
  ObservedRevision revision(listed({replica("a", ReplicaPhase::kReady)}, 1), kDeadAfter);
  report(revision, "a", 3, 0);
  EXPECT_EQ(observe(revision, 0).observed, 1);
  revision.update(listed({}, 0), StatDiary::at(0));
  EXPECT_EQ(observe(revision, 0).observed, 0);
  report(revision, "new", 1, 1);
  EXPECT_EQ(observe(revision, 1).observed, 1) << "one that is newer than the list";
  revision.update(listed({replica("a", ReplicaPhase::kReady)}, 1), StatDiary::at(1));
  report(revision, "a", 1, 2);
  EXPECT_EQ(observe(revision, 2).observed, 2) << "it is back, by the same name";
}

TEST(ObservedReplicas, AReadyOneStopsReportingThreeSecondsAfterItsLastReport) {
  ObservedRevision revision(listed({replica("a", ReplicaPhase::kReady)}), kDeadAfter);
  report(revision, "a", 3, 0);
  EXPECT_EQ(observe(revision, 3).not_reporting, 0);
  const Observation later = observe(revision, 4);
  EXPECT_EQ(later.not_reporting, 1);
  EXPECT_EQ(later.observed, 0);
}

TEST(ObservedQueues, WaitingIsWhatTheActivatorsReportedLast) {
  ObservedRevision revision(listed({}), kDeadAfter);
  report(revision, "activator-1", 7.5, 0, StatSource::kActivator);
  report(revision, "activator-2", 2, 0, StatSource::kActivator);
  EXPECT_EQ(observe(revision, 0).waiting, 10U);
  report(revision, "activator-1", 0, 1, StatSource::kActivator);
  EXPECT_EQ(observe(revision, 1).waiting, 2U);
  EXPECT_EQ(observe(revision, 1).observed, 0);
}

TEST(ObservedQueues, ATriggerCountsUntilTheNextStatOrForThreeSeconds) {
  ObservedRevision revision(listed({}), kDeadAfter);
  metrics::ScaleFromZeroTrigger trigger;
  trigger.pod = PodName("activator-1");
  revision.record(trigger, StatDiary::at(0));
  EXPECT_EQ(observe(revision, 3).waiting, 1U);
  EXPECT_EQ(observe(revision, 4).waiting, 0U);
  trigger.waiting = 5;
  revision.record(trigger, StatDiary::at(5));
  report(revision, "activator-1", 0, 6, StatSource::kActivator);
  EXPECT_EQ(observe(revision, 6).waiting, 0U);
}

TEST(ObservedQueues, AReplayedSecondDoesNotReplaceANewerOne) {
  ObservedRevision revision(listed({}), kDeadAfter);
  report(revision, "activator-1", 0, 10, StatSource::kActivator);
  metrics::Stat old = StatDiary::stat("activator-1", 8, 50, StatSource::kActivator);
  old.age = std::chrono::seconds(2);
  revision.record(old, StatDiary::at(10));
  EXPECT_EQ(observe(revision, 10).waiting, 0U);
}

TEST(ObservedOrder, TheIdleGoFirstAndOfEqualsTheYoungest) {
  auto young = replica("young", ReplicaPhase::kReady);
  young.start.ordered = StatDiary::at(50);
  ObservedRevision revision(
      listed({replica("busy", ReplicaPhase::kReady), replica("old", ReplicaPhase::kReady),
              replica("starts", ReplicaPhase::kStarting), young}),
      kDeadAfter);
  report(revision, "busy", 4, 60);
  report(revision, "old", 0, 60);
  report(revision, "young", 0, 60);
  EXPECT_THAT(revision.idle_first(),
              testing::ElementsAre(PodName("young"), PodName("old"), PodName("busy")));
}

cluster::Replica ready_at(const std::string& name, std::int64_t ordered, std::int64_t ready) {
  cluster::Replica made = replica(name, ReplicaPhase::kReady);
  made.start.ordered = StatDiary::at(ordered);
  made.start.ready = StatDiary::at(ready);
  return made;
}

TEST(ObservedStart, IsTheFirstReadinessOfAReplica) {
  ObservedRevision revision(listed({replica("a", ReplicaPhase::kStarting)}), kDeadAfter);
  revision.update(listed({ready_at("a", 0, 4)}), StatDiary::at(4));
  EXPECT_EQ(observe(revision, 5).start_time, std::chrono::seconds(4));
  revision.update(listed({replica("a", ReplicaPhase::kStarting)}), StatDiary::at(250));
  revision.update(listed({ready_at("a", 0, 254)}), StatDiary::at(254));
  EXPECT_EQ(observe(revision, 255).start_time, std::chrono::seconds(4))
      << "a probe failed meanwhile";
  revision.update(listed({}), StatDiary::at(260));
  revision.update(listed({ready_at("a", 270, 278)}), StatDiary::at(278));
  EXPECT_EQ(observe(revision, 279).start_time, std::chrono::seconds(5)) << "a new one of that name";
}

/// A new autoscaler finds a pod whose probe failed half a minute after its start.
TEST(ObservedStart, IsNotThatOfAReplicaThatWasReadyBefore) {
  ObservedRevision revision(listed({ready_at("a", 0, 42)}), kDeadAfter);
  EXPECT_EQ(observe(revision, 43).start_time, std::nullopt);
  revision.update(listed({ready_at("a", 0, 55)}), StatDiary::at(55));
  EXPECT_EQ(observe(revision, 56).start_time, std::nullopt);
  revision.update(listed({ready_at("a", 0, 55), ready_at("b", 60, 140)}), StatDiary::at(140));
  EXPECT_EQ(observe(revision, 141).start_time, std::chrono::seconds(80))
      << "slower than its progress-deadline, but it was seen to start";
}

TEST(ObservedSettings, AShorterWindowTakesEffectAndKeepsItsHistory) {
  ObservedRevision revision(listed({replica("a", ReplicaPhase::kReady)}), kDeadAfter);
  for (int second = 0; second < 60; ++second) report(revision, "a", second < 40 ? 0 : 6, second);
  EXPECT_DOUBLE_EQ(observe(revision, 59).stable.total, 19 * 6 / 59.0) << "seconds that are over";
  cluster::Revision changed = revision.listed();
  changed.settings.window = std::chrono::seconds(30);
  revision.update(std::make_shared<const cluster::Revision>(changed), StatDiary::at(59));
  EXPECT_DOUBLE_EQ(observe(revision, 59).stable.total, 19 * 6 / 29.0);
}

}  // namespace
}  // namespace bellows::autoscaler::test
