#include "autoscaler/service/revision_registry.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/sys/log.hpp"
#include "config/revision_schema.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/stat_diary.hpp"

namespace bellows::autoscaler::test {
namespace {

using namespace std::chrono_literals;

/// A revision at zero whose decisions are counted.
class AtZero : public testing::Test, private DecisionListener {
 protected:
  AtZero() {
    cluster::Revision revision;
    revision.id = RevisionId("web");
    revision.settings.initial_scale = 0;
    cluster::RevisionList list;
    list.put(std::make_shared<const cluster::Revision>(revision));
    registry_.follow(list);
    decisions_ = 0;
  }

  int decisions_after(double concurrency) {
    clock_.advance(std::chrono::milliseconds(100));
    registry_.accept(bellows::test::StatDiary::stat("activator-1", ++second_, concurrency,
                                                    metrics::StatSource::kActivator));
    return decisions_;
  }

  void follow_policy(const std::string& policy) {
    cluster::Revision revision;
    revision.id = RevisionId("web");
    revision.settings.max_scale = 7;
    revision.settings.policy = policy;
    cluster::RevisionList list;
    list.put(std::make_shared<const cluster::Revision>(revision));
    registry_.follow(list);
  }

  std::string policy_in_use() const { return registry_.find(RevisionId("web"))->settings->policy; }

  void trigger(const std::string& activator, std::uint64_t boot) {
    registry_.accept(metrics::ScaleFromZeroTrigger{
        .revision = RevisionId("web"), .pod = PodName(activator), .boot = boot, .waiting = 1});
  }

 private:
  void decided(ScaledRevision&, const Decision&, const Memory&) override { ++decisions_; }
  void removed(const RevisionId&) override {}

  bellows::test::ManualClock clock_;
  RevisionRegistry registry_{clock_, std::chrono::seconds(3), {}, *this};
  std::int64_t second_ = 0;
  int decisions_ = 0;
};

/// Two deciders of one load: only one keeps a day of decisions.
class WithAndWithoutADay : public testing::Test {
 protected:
  struct Decisions : DecisionListener {
    void decided(ScaledRevision& /*revision*/, const Decision& decision,
                 const Memory& /*before*/) override {
      all.push_back(decision);
    }
    void removed(const RevisionId& /*id*/) override {}
    std::vector<Decision> all;
  };

  WithAndWithoutADay() {
    with_.keep_days(mebibytes(64));
    cluster::Revision revision;
    revision.id = RevisionId("web");
    cluster::RevisionList list;
    list.put(std::make_shared<const cluster::Revision>(revision));
    with_.follow(list);
    without_.follow(list);
  }

  void report(double in_flight) {
    clock_.advance(1s);
    for (RevisionRegistry* const registry : {&with_, &without_}) {
      registry->accept(bellows::test::StatDiary::stat("web-1", second_, in_flight,
                                                      metrics::StatSource::kReplica));
      registry->tick();
    }
    ++second_;
  }

  bellows::test::ManualClock clock_;
  Decisions of_with_;
  Decisions of_without_;
  RevisionRegistry with_{clock_, 3s, {}, of_with_};
  RevisionRegistry without_{clock_, 3s, {}, of_without_};
  std::int64_t second_ = 1;
};

TEST_F(WithAndWithoutADay, TheSameIsDecidedAndKept) {
  for (int second = 0; second < 600; ++second) report((second % 97) / 7.0);
  ASSERT_GT(of_with_.all.size(), 250U);
  EXPECT_EQ(of_with_.all, of_without_.all);
  std::vector<Decision> kept;
  with_.find(RevisionId("web"))
      ->day->visit(TimePoint(), clock_.now(), [&](const history::DayEntry& entry) {
        kept.push_back(entry.decision);
        return true;
      });
  EXPECT_EQ(kept, of_with_.all);
}

// knative.md 7.2, case 35.
TEST_F(AtZero, AStatWithLoadIsDecidedAtOnce) {
  EXPECT_EQ(decisions_after(1), 1);
}

TEST_F(AtZero, AStatWithoutLoadWaitsForTheNextTurn) {
  EXPECT_EQ(decisions_after(0), 0);
}

std::vector<std::string> log_lines;  // of one test

TEST_F(AtZero, TwoActivatorsWithOneNameAreReportedOnce) {
  log_lines.clear();
  sys::log::set_sink([](std::string_view line) { log_lines.emplace_back(line); });
  for (int i = 0; i < 5; ++i) {
    trigger("activator", 1);
    trigger("activator", 2);
    trigger("activator-3", 3);
  }
  sys::log::set_sink(nullptr);
  ASSERT_EQ(log_lines.size(), 1U);
  EXPECT_NE(log_lines[0].find("two activators have the same name"), std::string::npos)
      << log_lines[0];
  EXPECT_NE(log_lines[0].find("name=activator"), std::string::npos);
}

TEST_F(AtZero, APolicyThatCannotBeMadeIsNotKeptAsOneThatDecides) {
  log_lines.clear();
  sys::log::set_sink([](std::string_view line) { log_lines.emplace_back(line); });
  follow_policy("nope");
  follow_policy("nope");
  sys::log::set_sink(nullptr);
  ASSERT_EQ(log_lines.size(), 1U);
  EXPECT_NE(log_lines[0].find("policies rejected"), std::string::npos) << log_lines[0];
  EXPECT_EQ(policy_in_use(), "");
}

/// A revision with one replica that has 12 in flight for a minute, at a target of 10.
class Running : public testing::Test, private DecisionListener {
 protected:
  Running() {
    revision_.id = RevisionId("web");
    revision_.service = RevisionId("web");
    revision_.settings = config::one_machine_settings();
    revision_.settings.target = 10;
    revision_.settings.target_utilization_percentage = 100;
    revision_.requested = 1;
    revision_.replicas.push_back(std::make_shared<const cluster::Replica>(
        cluster::Replica{.name = PodName("web-1"), .phase = cluster::ReplicaPhase::kReady}));
    publish();
    for (int second = 0; second < 60; ++second) advance(12);
  }

  /// The cluster lists other settings.
  void change(const std::function<void(config::RevisionSettings&)>& what) {
    what(revision_.settings);
    publish();
  }
  void restart_app(const std::string& because) {
    cluster::Replica replica = *revision_.replicas.front();
    ++replica.restarts;
    replica.restarted_because = because;
    revision_.replicas.front() = std::make_shared<const cluster::Replica>(std::move(replica));
    publish();
  }
  void advance(double in_flight) {
    clock_.advance(std::chrono::seconds(1));
    registry_.accept(bellows::test::StatDiary::stat("web-1", ++second_, in_flight,
                                                    metrics::StatSource::kReplica));
    registry_.tick();
  }
  /// Another revision of the same service is listed, at zero.
  const ScaledRevision& succeed(const std::string& id, const std::string& service) {
    cluster::Revision next = revision_;
    next.id = RevisionId(id);
    next.service = RevisionId(service);
    next.requested = 0;
    next.replicas.clear();
    list_.put(std::make_shared<const cluster::Revision>(next));
    registry_.follow(list_, {.added = {next.id}, .changed = {}, .removed = {}});
    return *registry_.find(next.id);
  }
  const ScaledRevision& web() const { return *registry_.find(RevisionId("web")); }
  /// The one that is taken within the next two seconds.
  const Decision& next_decision(double in_flight) {
    advance(in_flight);
    advance(in_flight);
    return last_;
  }

 private:
  void publish() {
    list_.put(std::make_shared<const cluster::Revision>(revision_));
    registry_.follow(list_, {.added = {}, .changed = {revision_.id}, .removed = {}});
  }
  void decided(ScaledRevision&, const Decision& decision, const Memory&) override {
    last_ = decision;
  }
  void removed(const RevisionId&) override {}

  bellows::test::ManualClock clock_;
  cluster::Revision revision_;
  RevisionRegistry registry_{clock_, std::chrono::seconds(3), {}, *this};
  cluster::RevisionList list_;
  std::int64_t second_ = 0;
  Decision last_;
};

TEST_F(Running, RemembersWhyItsAppsWereRestarted) {
  EXPECT_TRUE(web().restarts.last().empty());
  restart_app("the app hung and was killed: 2 liveness probes failed in a row");
  ASSERT_EQ(web().restarts.last().size(), 1U);
  EXPECT_EQ(web().restarts.last()[0].because,
            "the app hung and was killed: 2 liveness probes failed in a row");
  EXPECT_EQ(web().restarts.last()[0].replica.text(), "web-1");
  for (std::size_t i = 0; i < AppRestarts::kKept; ++i) restart_app("the app exited with code 3");
  EXPECT_EQ(web().restarts.last().size(), AppRestarts::kKept);
  EXPECT_EQ(web().restarts.last().front().restarts, 2) << "the oldest is forgotten";
  change([](auto& settings) { settings.target = 4; });
  EXPECT_EQ(web().restarts.last().size(), AppRestarts::kKept) << "nothing was restarted";
}

TEST_F(Running, ANewTargetHoldsFromTheNextDecisionOn) {
  EXPECT_EQ(next_decision(12).replicas, 2);
  change([](auto& settings) { settings.target = 4; });
  EXPECT_EQ(next_decision(12).replicas, 3);
}

TEST_F(Running, AShorterWindowKnowsWhatTheLongerOneKnew) {
  change([](auto& settings) { settings.window = std::chrono::seconds(30); });
  EXPECT_EQ(next_decision(12).seen.stable.covered_seconds, 30);
}

TEST_F(Running, ALongerWindowKeepsWhatTheShorterOneKnew) {
  change([](auto& settings) { settings.window = std::chrono::seconds(120); });
  const Decision& decision = next_decision(12);
  EXPECT_GE(decision.seen.stable.covered_seconds, 60);
  EXPECT_DOUBLE_EQ(decision.seen.stable.total, 12);
}

TEST_F(Running, AScaleDownDelayThatIsSetNowHoldsForWhatWasWantedSince) {
  EXPECT_EQ(next_decision(12).replicas, 2);
  change([](auto& settings) {
    settings.scale_down_delay = std::chrono::seconds(60);
    settings.window = std::chrono::seconds(2);
    settings.panic_window_percentage = 100;
  });
  EXPECT_EQ(next_decision(12).replicas, 2);
  EXPECT_EQ(next_decision(1).replicas, 2);
  EXPECT_EQ(next_decision(1).rule, Rule::kDelay);
  change([](auto& settings) { settings.scale_down_delay = Duration::zero(); });
  EXPECT_EQ(next_decision(1).replicas, 1);
}

TEST_F(Running, ItsSuccessorKnowsItsCallersAndNotItsReplicas) {
  change([](auto& settings) { settings.target_utilization_percentage.reset(); });
  for (int second = 0; second < 30; ++second) advance(0);
  for (int second = 0; second < 4; ++second) advance(12);
  ASSERT_FALSE(web().state.idle_times.idle_times().empty());
  const ScaledRevision& next = succeed("web-00002", "web");
  EXPECT_EQ(next.state.idle_times, web().state.idle_times);
  EXPECT_EQ(next.state.service_seconds, web().state.service_seconds);
  EXPECT_NE(next.state.spread, LoadSpread());
  EXPECT_EQ(next.state.spread, web().state.spread);
  EXPECT_EQ(next.state.mode(), Mode::kStable);
  EXPECT_EQ(next.state.replicas, 0);
}

TEST_F(Running, ARevisionOfAnotherServiceKnowsNothing) {
  for (int second = 0; second < 30; ++second) advance(0);
  for (int second = 0; second < 4; ++second) advance(12);
  EXPECT_TRUE(succeed("shop", "shop").state.idle_times.idle_times().empty());
}

/// What is known of a service with slow-brain auto when it is listed.
class Learned : public testing::Test, private DecisionListener {
 protected:
  Learned() {
    state_.target = 7;
    state_.at = state_.since = clock_.now();
    for (int i = 0; i < 200; ++i) state_.table.add(6, {.completed = 30, .times = {}});
    const slow::Jump jump{.at = clock_.now() - 5min, .load = 70, .missed = 30};
    state_.jumps = {.jumps = {jump, jump}, .is_kept = true};
    revision_.service = RevisionId("web");
    revision_.settings.slow_brain.mode = config::SlowBrain::kAuto;
  }

  const ScaledRevision& list(const std::string& id, std::int32_t share = 100) {
    put(id, share);
    registry_.follow(list_, {.added = {revision_.id}, .changed = {}, .removed = {}});
    return *registry_.find(revision_.id);
  }
  void put(const std::string& id, std::int32_t share) {
    revision_.id = RevisionId(id);
    revision_.share = share;
    list_.put(std::make_shared<const cluster::Revision>(revision_));
  }
  PodCount min_scale_of(const std::string& id) const {
    return registry_.find(RevisionId(id))->settings->min_scale;
  }
  void decided(ScaledRevision& revision, const Decision&, const Memory&) override {
    min_scales_.push_back(revision.settings->min_scale);
  }
  void removed(const RevisionId&) override {}

  bellows::test::ManualClock clock_;
  slow::SlowState state_;
  cluster::Revision revision_;
  cluster::RevisionList list_;
  RevisionRegistry registry_{clock_, std::chrono::seconds(3), {}, *this};
  std::vector<PodCount> min_scales_;  // of each decision
};

TEST_F(Learned, AfterARestartTheFirstDecisionHasTheLearnedTargetAndKeepsReplicas) {
  registry_.resume_slow({{RevisionId("web"), state_}});
  const ScaledRevision& web = list("web");
  EXPECT_EQ(web.settings->target, 7);
  ASSERT_EQ(min_scales_.size(), 1U);
  EXPECT_GE(min_scales_[0], 10);  // for 70 requests in flight
}

TEST_F(Learned, ANewRevisionBeginsWithTheTargetAndTheJumpsOfTheOneBefore) {
  registry_.resume_slow({{RevisionId("web"), state_}});
  list("web");
  const ScaledRevision& next = list("web-00002");
  EXPECT_EQ(next.settings->target, 7);
  EXPECT_GE(min_scales_.back(), 5);  // each gets half of the requests
  EXPECT_TRUE(next.slow->state().table.empty());
}

TEST_F(Learned, ACanaryKeepsReplicasForItsPartOfAJumpAndFollowsItsSteps) {
  registry_.resume_slow({{RevisionId("web"), state_}});
  list("web");
  const PodCount whole = min_scale_of("web");
  list("web-00002", 0);
  EXPECT_LE(min_scale_of("web-00002"), 1) << "it starts and gets no requests yet";
  EXPECT_EQ(min_scale_of("web"), whole);
  const auto share_out = [&](std::int32_t canary) {
    put("web", 100 - canary);
    put("web-00002", canary);
    registry_.follow(
        list_,
        {.added = {}, .changed = {RevisionId("web"), RevisionId("web-00002")}, .removed = {}});
  };
  share_out(5);
  EXPECT_EQ(min_scale_of("web-00002"), 1);  // for 3.5 in flight
  EXPECT_GE(min_scale_of("web"), 10);
  share_out(50);
  EXPECT_GE(min_scale_of("web-00002"), 5);
  EXPECT_LT(min_scale_of("web-00002"), 10);
  EXPECT_EQ(min_scale_of("web"), min_scale_of("web-00002"));
  share_out(100);
  EXPECT_EQ(min_scale_of("web-00002"), whole);
  EXPECT_LE(min_scale_of("web"), 1);
  share_out(0);  // rolled back
  EXPECT_EQ(min_scale_of("web"), whole);
}

TEST_F(Learned, AfterARestartTheFirstDecisionKnowsAllShares) {
  registry_.resume_slow({{RevisionId("web"), state_}, {RevisionId("web-00002"), state_}});
  put("web", 5);
  put("web-00002", 95);
  registry_.follow(list_);
  ASSERT_EQ(min_scales_.size(), 2U);
  EXPECT_EQ(min_scales_[0], 1);
  EXPECT_GE(min_scales_[1], 10);
}

TEST_F(Learned, ARevisionKeepsMoreFromItsNextDecisionOnWhenAnotherOneIsRetired) {
  registry_.resume_slow({{RevisionId("web"), state_}});
  list("web", 50);
  list("web-00002", 50);
  const PodCount half = min_scale_of("web-00002");
  revision_.state = cluster::RevisionState::kRetired;
  put("web", 50);
  registry_.follow(list_, {.added = {}, .changed = {RevisionId("web")}, .removed = {}});
  for (int i = 0; i < 21; ++i) {
    clock_.advance(100ms);
    registry_.tick();
  }
  EXPECT_GE(min_scale_of("web-00002"), 10);
  EXPECT_LT(half, 10);
}

/// A list that comes and goes; decisions are counted by revision.
class Listed : public testing::Test, private DecisionListener {
 protected:
  void put(const std::string& id, PodCount requested = 0) {
    cluster::Revision revision;
    revision.id = RevisionId(id);
    revision.settings.initial_scale = 0;
    revision.requested = requested;
    list_.put(std::make_shared<const cluster::Revision>(revision));
    registry_.follow(list_, {{}, {revision.id}, {}});
  }
  void erase(const std::string& id) {
    list_.erase(RevisionId(id));
    registry_.follow(list_, {{}, {}, {RevisionId(id)}});
  }
  /// How often each was decided since the last call.
  std::map<std::string, int> decided() { return std::exchange(decided_, {}); }
  void pass(Duration duration) {
    clock_.advance(duration);
    registry_.tick();
  }

  bellows::test::ManualClock clock_;
  RevisionRegistry registry_{clock_, std::chrono::seconds(3), {}, *this};
  cluster::RevisionList list_;
  std::vector<RevisionId> removed_;

 private:
  void decided(ScaledRevision& revision, const Decision&, const Memory&) override {
    ++decided_[revision.id().text()];
  }
  void removed(const RevisionId& revision) override { removed_.push_back(revision); }

  std::map<std::string, int> decided_;
};

using Counts = std::map<std::string, int>;

TEST_F(Listed, ARevisionIsDecidedAtOnceAndThenEveryTwoSecondsUntilItIsRemoved) {
  put("a");
  pass(std::chrono::seconds(1));
  put("b");
  put("c");
  EXPECT_EQ(decided(), (Counts{{"a", 1}, {"b", 1}, {"c", 1}}));
  pass(std::chrono::seconds(1));
  EXPECT_EQ(decided(), (Counts{{"a", 1}}));
  erase("b");
  EXPECT_EQ(removed_, std::vector<RevisionId>{RevisionId("b")});
  EXPECT_EQ(registry_.find(RevisionId("b")), nullptr);
  pass(std::chrono::seconds(1));
  EXPECT_EQ(decided(), (Counts{{"c", 1}}));
  put("b");
  pass(std::chrono::seconds(1));
  EXPECT_EQ(decided(), (Counts{{"a", 1}, {"b", 1}}));
  erase("a");
  erase("c");
  for (int i = 0; i < 4; ++i) pass(std::chrono::seconds(1));
  EXPECT_EQ(decided(), (Counts{{"b", 2}}));
}

TEST_F(Listed, AChangeThatIsOverAlreadyIsFoundInTheList) {
  put("a");
  list_.erase(RevisionId("a"));
  registry_.follow(list_, {{RevisionId("a")}, {RevisionId("ghost")}, {RevisionId("other")}});
  EXPECT_TRUE(registry_.revisions().empty());
}

TEST_F(Listed, AWholeListAddsWhatIsMissingAndRemovesWhatIsNotThere) {
  put("a");
  put("b");
  cluster::RevisionList next;
  next.put(list_.find(RevisionId("b")));
  auto c = std::make_shared<cluster::Revision>();
  c->id = RevisionId("c");
  next.put(c);
  registry_.follow(next);
  EXPECT_EQ(registry_.find(RevisionId("a")), nullptr);
  EXPECT_NE(registry_.find(RevisionId("b")), nullptr);
  EXPECT_NE(registry_.find(RevisionId("c")), nullptr);
  EXPECT_EQ(registry_.revisions().size(), 2u);
}

}  // namespace
}  // namespace bellows::autoscaler::test
