// What the autoscaler tells the cluster, what it resumes from, and revisions that are paused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "autoscaler/service/state_file.hpp"
#include "base/sys/log.hpp"
#include "tests/integration/autoscaler/autoscaler_world.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/autoscaler/core/states_json.hpp"

namespace bellows::autoscaler::test {
namespace {

using cluster::Report;
using cluster::RevisionState;
using testing::HasSubstr;

std::vector<std::string> log_lines;  // of one test

class AutoscalerReports : public testing::Test {
 protected:
  AutoscalerReports() {
    log_lines.clear();
    sys::log::set_sink([](std::string_view line) { log_lines.emplace_back(line); });
  }
  ~AutoscalerReports() override { sys::log::set_sink(nullptr); }

  std::size_t count() const { return world_.cluster.reports().size(); }
  const Report& last_report() const { return world_.cluster.reports().back().second; }
  void set_state(RevisionState state) {
    world_.cluster.truth("web").state = state;
    world_.cluster.publish();
    world_.run();
  }
  /// As a cluster that keeps the reports lists it, and as a new process with another clock reads.
  void restart_from(const std::string& saved_state, const std::string& state_file = "") {
    world_.service.reset();
    world_.cluster.truth("web").saved_state = saved_state;
    world_.cluster.publish();
    world_.start(state_file);
  }
  /// 20 replicas in panic mode.
  void live_through_a_burst() {
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
  bool has_logged(const std::string& part) const {
    return std::ranges::any_of(
        log_lines, [&](const std::string& line) { return line.find(part) != line.npos; });
  }

  AutoscalerWorld world_;
};

TEST_F(AutoscalerReports, WhatAUserSeesAtOnceAndNothingWhileNothingChanges) {
  world_.deploy(1);
  world_.seconds(60, 1, 5);
  const std::size_t steady = count();
  EXPECT_GT(steady, 0u);
  EXPECT_EQ(world_.cluster.reports().front().first, RevisionId("web"));
  EXPECT_EQ(last_report().serving, Report::Serving::kActive);
  EXPECT_EQ(last_report().desired, 1);
  EXPECT_EQ(last_report().mode, "stable");
  EXPECT_TRUE(last_report().is_load_known);
  EXPECT_EQ(last_report().limited_by, "");
  EXPECT_EQ(last_report().failure_message, "");
  world_.seconds(60, 1, 5);
  EXPECT_EQ(count(), steady);
  world_.seconds(8, 1, 200);
  EXPECT_GT(count(), steady);
  EXPECT_EQ(last_report().desired, 20);
  EXPECT_EQ(last_report().mode, "panic");
  EXPECT_THAT(last_report().reason, HasSubstr("requests in flight"));
  bool has_urgent = false;
  for (std::size_t i = steady; i < count(); ++i) {
    has_urgent |= world_.cluster.reports()[i].second.is_urgent;
  }
  EXPECT_TRUE(has_urgent);
}

TEST_F(AutoscalerReports, TheSettingThatCutTheNumber) {
  config::RevisionSettings settings = AutoscalerWorld::ten_per_replica();
  settings.max_scale = 4;
  world_.deploy(1, settings);
  world_.seconds(60, 1, 5);
  world_.seconds(8, 1, 200);
  EXPECT_EQ(last_report().desired, 4);
  EXPECT_EQ(last_report().limited_by, "max-scale");
}

TEST_F(AutoscalerReports, ActivatorsThatReachNoReplicaWhileTheySaySo) {
  world_.deploy(1);
  world_.seconds(20, 1, 5);
  EXPECT_THAT(last_report().kept_away, testing::IsEmpty());
  const auto told = [&](std::uint64_t unreachable) {
    metrics::Stat stat{.revision = RevisionId("web"),
                       .pod = PodName("activator-1"),
                       .source = metrics::StatSource::kActivator,
                       .boot = 1};
    stat.sequence = static_cast<std::uint64_t>(world_.clock.now().time_since_epoch().count());
    stat.unreachable = unreachable;
    world_.service->sink().accept(stat);
    world_.seconds(2, 1, 5);
  };
  told(1);
  EXPECT_THAT(last_report().kept_away, testing::ElementsAre(PodName("activator-1")));
  EXPECT_TRUE(last_report().is_urgent);
  told(1);
  told(0);
  EXPECT_THAT(last_report().kept_away, testing::IsEmpty());
}

TEST_F(AutoscalerReports, AnUnknownLoadOnlyOnceItLasts) {
  world_.deploy(2);
  world_.seconds(60, 2, 5);
  EXPECT_TRUE(last_report().is_load_known);
  world_.seconds(8, 1, 5);
  EXPECT_TRUE(last_report().is_load_known) << "the second one may reconnect";
  world_.seconds(10, 1, 5);
  EXPECT_FALSE(last_report().is_load_known);
  EXPECT_TRUE(last_report().is_urgent);
  world_.seconds(4, 2, 5);
  EXPECT_TRUE(last_report().is_load_known);
}

TEST_F(AutoscalerReports, OrdersThatTheClusterRejects) {
  world_.deploy(1);
  world_.seconds(60, 1, 5);
  for (int i = 0; i < 3; ++i) world_.cluster.handle_rejection(ErrorKind::kConflict);
  world_.seconds(8, 1, 200);
  bool is_told = false;
  for (const auto& [id, report] : world_.cluster.reports()) {
    is_told |= report.failure_message.find("refused by the script") != std::string::npos;
  }
  EXPECT_TRUE(is_told);
  world_.seconds(8, 1, 200);
  EXPECT_EQ(last_report().failure_message, "") << "one was accepted since";
}

TEST_F(AutoscalerReports, WhatItHasLearnedAtLeastEveryHalfHour) {
  world_.deploy(1);
  world_.seconds(60, 1, 5);
  const std::size_t before = count();
  world_.seconds(3 * 30 * 60 + 10, 1, 5);
  EXPECT_GE(count(), before + 3);
  EXPECT_LE(count(), before + 4) << "the first one comes earlier, so that revisions are spread";
  EXPECT_FALSE(last_report().is_urgent);
  EXPECT_TRUE(parse_state(last_report().saved_state).has_value()) << last_report().saved_state;
}

TEST_F(AutoscalerReports, ARetiredRevisionWithoutAStateForASuccessor) {
  world_.deploy(1);
  set_state(RevisionState::kRetired);
  EXPECT_EQ(last_report().serving, Report::Serving::kRetired);
  EXPECT_EQ(last_report().saved_state, "");
  const std::size_t told = count();
  world_.pass(std::chrono::seconds(20));
  EXPECT_EQ(count(), told);
}

TEST_F(AutoscalerReports, LetASuccessorResumeWithoutAStateFile) {
  live_through_a_burst();
  const std::string saved = last_report().saved_state;
  const TimePoint last_over = world_.last().after.panic->last_over;
  world_.clock.advance(std::chrono::milliseconds(500));
  restart_from(saved);
  EXPECT_EQ(world_.last().replicas, 20);
  ASSERT_TRUE(world_.last().after.panic);
  EXPECT_NEAR(to_seconds(world_.last().after.panic->last_over - last_over), 0, 5)
      << "as of the report, which is a little older than the end";
}

TEST_F(AutoscalerReports, ThatCannotBeReadAreNamedAndTheRevisionStartsFresh) {
  live_through_a_burst();
  restart_from(R"({"version":2,"saved_at_unix_ms":1,"state":{"want":-3}})");
  EXPECT_TRUE(has_logged("revision=web")) << testing::PrintToString(log_lines);
  EXPECT_TRUE(has_logged("state.want: -3: want a whole number"));
  EXPECT_EQ(world_.last().replicas, 20) << "what runs is held";
}

TEST_F(AutoscalerReports, AreOlderOrNewerThanTheStateFile) {
  const bellows::test::TemporaryFolder folder;
  const std::string file = folder.path("state.json");
  const auto state_of = [&](PodCount panic_max, Duration age) {
    DeciderState state;
    state.panic = Panic{.since = world_.clock.now(), .last_over = world_.clock.now()};
    state.panic_max = state.replicas = panic_max;
    return SavedState{{world_.clock.now(), world_.clock.wall_now() - age}, state};
  };
  world_.deploy(0);
  for (const bool is_file_newer : {true, false}) {
    const SavedState in_file = state_of(7, is_file_newer ? Duration(0) : std::chrono::seconds(5));
    const SavedState in_cluster =
        state_of(9, is_file_newer ? std::chrono::seconds(5) : Duration(0));
    std::ofstream(file) << states_json(
        {.at = in_file.at, .revisions = {{RevisionId("web"), in_file.state}}});
    // Not the end of the one before, which would save its own state there.
    restart_from(state_json(in_cluster), file);
    EXPECT_EQ(world_.last().after.panic_max, is_file_newer ? 7 : 9);
    world_.service.reset();
  }
}

TEST_F(AutoscalerReports, APausedRevisionGetsNoOrdersNotEvenAWaitingOne) {
  world_.deploy(1);
  world_.seconds(60, 1, 5);
  world_.cluster.handle_rejection(ErrorKind::kConflict);
  world_.seconds(2, 1, 200);
  const std::size_t tried = world_.cluster.orders().size();
  ASSERT_GT(tried, 0u);
  EXPECT_EQ(world_.requested(), 1) << "the order was rejected and waits";
  set_state(RevisionState::kPaused);
  EXPECT_EQ(world_.last().rule, Rule::kPaused) << "decided at once";
  world_.seconds(30, 1, 200);
  world_.trigger(3);
  EXPECT_EQ(world_.cluster.orders().size(), tried);
  EXPECT_EQ(last_report().desired, 1);
  EXPECT_EQ(last_report().reason, "it is paused");
  set_state(RevisionState::kActive);
  EXPECT_EQ(world_.requested(), 20) << "the load of the pause is known";
}

TEST_F(AutoscalerReports, TheTargetThatItHasLearnedIfDecisionsUseIt) {
  config::RevisionSettings settings = AutoscalerWorld::ten_per_replica();
  settings.slow_brain.mode = config::SlowBrain::kAuto;
  settings.slow_brain.target_max = 7;
  world_.deploy(1, settings);
  world_.seconds(4, 1, 5);
  EXPECT_EQ(last_report().learned_target, 7);
  settings.slow_brain.mode = config::SlowBrain::kAdvise;
  world_.deploy(1, settings);
  world_.seconds(4, 1, 5);
  EXPECT_EQ(last_report().learned_target, std::nullopt);
}

TEST_F(AutoscalerReports, ANamespaceIsALabelOfItsOwn) {
  cluster::Revision revision;
  revision.id = RevisionId("shop/web");
  revision.settings = AutoscalerWorld::ten_per_replica();
  world_.cluster.set(revision);
  world_.deploy(1);
  const std::string text = world_.registry->expose();
  EXPECT_THAT(text, HasSubstr("bellows_autoscaler_desired_pods{namespace=\"shop\",revision=\"web\","
                              "service=\"web\"} 0"));
  EXPECT_THAT(text,
              HasSubstr("bellows_autoscaler_desired_pods{revision=\"web\",service=\"web\"} 1"));
  EXPECT_THAT(
      text,
      HasSubstr("bellows_autoscaler_state{namespace=\"shop\",revision=\"web\",service=\"web\","
                "state=\"Reserve\"} 1"));
}

}  // namespace
}  // namespace bellows::autoscaler::test
