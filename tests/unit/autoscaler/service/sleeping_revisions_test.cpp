// Revisions at zero that nobody has called: no decisions are made, and what is asked about them is
// answered as if they were.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autoscaler/service/revision_registry.hpp"
#include "config/revision_schema.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/stat_diary.hpp"

namespace bellows::autoscaler::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

cluster::Revision at_zero(const std::string& name) {
  cluster::Revision revision;
  revision.id = RevisionId(name);
  revision.settings = config::one_machine_settings();
  return revision;
}

/// Two deciders of the same services: only one lets them sleep.
class Sleeping : public testing::Test {
 protected:
  struct Orders : DecisionListener {
    void decided(ScaledRevision& revision, const Decision& decision,
                 const Memory& /*before*/) override {
      last = {revision.id().text(), decision.replicas};
      ++count;
    }
    void removed(const RevisionId& id) override { gone.push_back(id.text()); }
    std::pair<std::string, PodCount> last;
    int count = 0;
    std::vector<std::string> gone;
  };

  Sleeping() {
    sleepy_.let_sleep();
    sleepy_.keep_days(mebibytes(64));
    for (const char* name : {"a", "b", "c"}) list(at_zero(name));
  }

  void list(cluster::Revision revision) {
    list_.put(std::make_shared<const cluster::Revision>(std::move(revision)));
    follow();
  }
  void follow() {
    sleepy_.follow(list_);
    awake_.follow(list_);
  }
  void pass(Duration time) {
    for (Duration passed{}; passed < time; passed += milliseconds(100)) {
      clock_.advance(milliseconds(100));
      sleepy_.tick();
      awake_.tick();
    }
  }
  static metrics::ScaleFromZeroTrigger call(const std::string& name) {
    return {.revision = RevisionId(name), .pod = PodName("activator"), .boot = 1, .waiting = 1};
  }

  bellows::test::ManualClock clock_;
  Orders of_sleepy_;
  Orders of_awake_;
  RevisionRegistry sleepy_{clock_, seconds(3), {}, of_sleepy_};
  RevisionRegistry awake_{clock_, seconds(3), {}, of_awake_};
  cluster::RevisionList list_;
};

TEST_F(Sleeping, NothingIsDecidedAboutWhatNobodyCalls) {
  const int at_first = of_sleepy_.count;
  pass(seconds(60));
  EXPECT_EQ(of_sleepy_.count, at_first);
  EXPECT_GT(of_awake_.count, at_first + 60);
  EXPECT_TRUE(sleepy_.revisions().empty());
  EXPECT_EQ(sleepy_.size(), 3U);
}

TEST_F(Sleeping, ItIsAskedAboutAsIfItWereAwake) {
  pass(seconds(61));
  const ScaledRevision& asleep = *sleepy_.find(RevisionId("b"));
  const ScaledRevision& awake = *awake_.find(RevisionId("b"));
  EXPECT_EQ(asleep.id(), awake.id());
  EXPECT_EQ(asleep.serving_state(), ServingState::kReserve);
  EXPECT_EQ(asleep.journal.last()->at, awake.journal.last()->at);
  EXPECT_EQ(asleep.journal.last()->rule, Rule::kAtZero);
  EXPECT_EQ(asleep.journal.last()->seen, awake.journal.last()->seen);
  EXPECT_EQ(asleep.decisions, awake.decisions);
  EXPECT_EQ(asleep.journal.entries().size(), 2U) << "the first and the last";
  EXPECT_EQ(asleep.day->oldest(), asleep.journal.entries().front().decision.at);
  EXPECT_TRUE(sleepy_.revisions().empty()) << "to look wakes nothing";
}

TEST_F(Sleeping, AllAreVisitedByName) {
  sleepy_.accept(call("b"));
  std::string names;
  std::uint64_t decisions = 0;
  sleepy_.for_each([&](const RevisionId& id, const ScaledRevision& revision) {
    EXPECT_EQ(id, revision.id());
    names += id.text();
    decisions += revision.decisions[static_cast<std::size_t>(Rule::kAtZero)];
  });
  EXPECT_EQ(names, "abc");
  EXPECT_EQ(decisions, 3U);
  EXPECT_EQ(sleepy_.revisions().size(), 1U);
}

TEST_F(Sleeping, TheFirstCallGetsAReplicaAtOnce) {
  pass(seconds(61));
  clock_.advance(milliseconds(7));
  sleepy_.accept(call("b"));
  awake_.accept(call("b"));
  EXPECT_EQ(of_sleepy_.last, std::pair(std::string("b"), PodCount{1}));
  EXPECT_EQ(of_awake_.last, of_sleepy_.last);
  const Decision woken = *sleepy_.find(RevisionId("b"))->journal.last();
  const Decision expected = *awake_.find(RevisionId("b"))->journal.last();
  EXPECT_EQ(woken.seen, expected.seen);
  EXPECT_EQ(woken.rule, expected.rule);
}

TEST_F(Sleeping, OnceCalledItKeepsWhatItHasLearned) {
  pass(seconds(10));
  sleepy_.accept(call("b"));
  pass(seconds(600));
  EXPECT_TRUE(sleepy_.revisions().contains(RevisionId("b")));
  EXPECT_EQ(sleepy_.revisions().size(), 1U);
}

TEST_F(Sleeping, ASettingThatWantsReplicasWakesIt) {
  pass(seconds(5));
  cluster::Revision changed = at_zero("b");
  changed.settings.min_scale = 2;
  list(changed);
  pass(seconds(2));
  EXPECT_EQ(of_sleepy_.last, std::pair(std::string("b"), PodCount{2}));
}

TEST_F(Sleeping, ASettingThatDoesNotLetsItSleepOn) {
  pass(seconds(5));
  cluster::Revision changed = at_zero("b");
  changed.settings.scale_down_delay = seconds(7);
  list(changed);
  pass(seconds(2));
  EXPECT_TRUE(sleepy_.revisions().empty());
  EXPECT_EQ(sleepy_.find(RevisionId("b"))->spec.scale_down_delay, seconds(7));
  EXPECT_EQ(sleepy_.find(RevisionId("b"))->decisions, awake_.find(RevisionId("b"))->decisions);
}

TEST_F(Sleeping, AnotherRouteWakesNobody) {
  cluster::Revision changed = at_zero("b");
  changed.route.host = "b.example.org";
  list(changed);
  EXPECT_TRUE(sleepy_.revisions().empty());
  EXPECT_EQ(sleepy_.find(RevisionId("b"))->observed.listed().route.host, "b.example.org");
}

TEST_F(Sleeping, WhatIsRemovedIsGone) {
  list_.erase(RevisionId("b"));
  follow();
  EXPECT_EQ(sleepy_.find(RevisionId("b")), nullptr);
  EXPECT_EQ(of_sleepy_.gone, std::vector<std::string>{"b"});
  sleepy_.accept(call("b"));
  EXPECT_EQ(sleepy_.counters().unknown_revision, 1U);
}

TEST_F(Sleeping, APausedOneIsAwake) {
  cluster::Revision paused = at_zero("b");
  paused.state = cluster::RevisionState::kPaused;
  list(paused);
  EXPECT_TRUE(sleepy_.revisions().contains(RevisionId("b")));
  EXPECT_EQ(sleepy_.find(RevisionId("b"))->journal.last()->rule, Rule::kPaused);
}

/// It had its first replica, went to zero, and nobody has called it: the state file says so.
TEST(SleepingAfterARestart, AnInitialScaleIsNotReachedTwice) {
  struct Deaf : DecisionListener {
    void decided(ScaledRevision&, const Decision&, const Memory&) override {}
    void removed(const RevisionId&) override {}
  } deaf;
  bellows::test::ManualClock clock;
  DeciderState at_zero_again;
  at_zero_again.is_initialised = true;
  const SavedStates saved{.at = {clock.now(), clock.wall_now()},
                          .revisions = {{RevisionId("b"), at_zero_again}}};
  RevisionRegistry registry(clock, seconds(3), saved, deaf);
  registry.let_sleep();
  cluster::Revision b = at_zero("b");
  b.settings.initial_scale = 1;
  cluster::RevisionList list;
  list.put(std::make_shared<const cluster::Revision>(b));
  registry.follow(list);
  EXPECT_EQ(registry.find(RevisionId("b"))->journal.last()->rule, Rule::kAtZero);
}

}  // namespace
}  // namespace bellows::autoscaler::test
