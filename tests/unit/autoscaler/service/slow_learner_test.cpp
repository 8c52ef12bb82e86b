#include "autoscaler/service/slow_learner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "autoscaler/service/slow_file.hpp"
#include "autoscaler/slow/slow_json.hpp"
#include "json/object.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/autoscaler/slow/app_data.hpp"

namespace bellows::autoscaler {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

slow::KnownApp shared_cores() {
  slow::KnownApp app;
  app.time = [](double n) { return 0.1 * std::max(1.0, n / 8); };
  app.cores = [](double n) { return std::min(n, 8.0); };
  app.cpu_limit = 8;
  return app;
}

cluster::Revision listed(config::SlowBrain mode, const std::vector<std::string>& pods) {
  cluster::Revision revision;
  revision.id = RevisionId("web");
  revision.settings.slow_brain.mode = mode;
  TimePoint ordered{1h};
  for (const std::string& pod : pods) {
    cluster::Replica replica;
    replica.name = PodName(pod);
    replica.phase = cluster::ReplicaPhase::kReady;
    replica.start.ordered = ordered;
    ordered += 1s;
    revision.replicas.push_back(std::make_shared<const cluster::Replica>(replica));
  }
  return revision;
}

/// Ten minutes of one replica with six requests in flight on average.
void run(SlowLearner& learner, const cluster::Revision& revision, TimePoint from) {
  SeededRandom random(5);
  for (int second = 1; second <= 600; ++second) {
    metrics::Stat stat;
    stat.pod = PodName("web-1");
    const double n = 2 + 8 * random.fraction();
    stat.concurrency = stat.peak = n;
    stat.reading = metrics::ReadingPtr(shared_cores().second(n, random));
    const TimePoint now = from + second * 1s;
    learner.record(stat, now);
    (void)learner.evaluate_if_due(revision, now);
  }
}

/// Jumps to 40 requests in flight of the whole service were met before.
slow::SlowState after_jumps(TimePoint now) {
  slow::SlowState state;
  state.target = 4;
  const slow::Jump jump{.at = now - 5min, .load = 40, .missed = 30};
  state.jumps = {.jumps = {jump, jump}, .is_kept = true};
  return state;
}

TEST(SlowLearner, AdviceChangesNoSettingAndAutoSetsTheTarget) {
  for (const auto mode : {config::SlowBrain::kAdvise, config::SlowBrain::kAuto}) {
    const cluster::Revision revision = listed(mode, {"web-1"});
    SlowLearner learner(revision.settings, TimePoint(1h));
    EXPECT_EQ(learner.applied_to(revision.settings), revision.settings);
    run(learner, revision, TimePoint(1h));
    ASSERT_TRUE(learner.advice().has_value());
    EXPECT_NEAR(learner.advice()->target, 6.4, 1.5);
    const config::RevisionSettings used = learner.applied_to(revision.settings);
    if (mode == config::SlowBrain::kAdvise) {
      EXPECT_EQ(used, revision.settings);
    } else {
      EXPECT_EQ(used.target, learner.advice()->target);
    }
  }
}

TEST(SlowLearner, ThePageSaysWhatBinds) {
  const cluster::Revision revision = listed(config::SlowBrain::kAdvise, {"web-1"});
  SlowLearner learner(revision.settings, TimePoint(1h));
  run(learner, revision, TimePoint(1h));
  const std::string page = learner.page(revision, 100, 6, TimePoint(1h + 601s));
  EXPECT_THAT(page, HasSubstr("The slow brain advises target 6.3"));
  EXPECT_THAT(page, HasSubstr("instead of 100: CPU binds, 80 % of the limit at 6"));
  const auto root = json::parse(page);
  ASSERT_TRUE(root.has_value()) << to_string(root.error());
}

TEST(SlowLearner, ItsJournalRepeatsTheSameTargets) {
  const cluster::Revision revision = listed(config::SlowBrain::kAuto, {"web-1"});
  SlowLearner learner(revision.settings, TimePoint(1h));
  learner.succeed(after_jumps(TimePoint(1h)));
  (void)learner.follow_share(0.25);
  run(learner, revision, TimePoint(1h));
  ASSERT_DOUBLE_EQ(learner.advice()->kept_load, 10);
  std::istringstream lines(learner.journal());
  slow::SlowState state;
  slow::Advice last;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto object = json::parse_line(line, ++number);
    ASSERT_TRUE(object.has_value());
    const TimePoint at{
        std::chrono::round<Duration>(std::chrono::duration<double>(*object->number("at")))};
    if (object->has("state")) state = *slow::read_state(*object->object("state"), at);
    if (!object->has("interval")) continue;
    const auto spec = slow::read_spec(*object->object("spec"));
    const auto interval = slow::read_interval(*object->object("interval"), at);
    ASSERT_TRUE(spec && interval);
    last = slow::evaluate(*spec, state, *interval);
  }
  EXPECT_EQ(number, SlowLearner::kKept + 1);
  EXPECT_EQ(last, *learner.advice());
}

TEST(SlowLearner, WhatIsKeptForJumpsFollowsTheShareAtOnce) {
  const cluster::Revision revision = listed(config::SlowBrain::kAuto, {"web-1"});
  SlowLearner learner(revision.settings, TimePoint(1h));
  learner.succeed(after_jumps(TimePoint(1h)));
  EXPECT_TRUE(learner.follow_share(0.05));
  ASSERT_TRUE(learner.evaluate_if_due(revision, TimePoint(1h)));
  EXPECT_DOUBLE_EQ(learner.advice()->kept_load, 2);
  EXPECT_EQ(learner.applied_to(revision.settings).min_scale, 1);
  EXPECT_FALSE(learner.follow_share(0.05));
  EXPECT_TRUE(learner.follow_share(0.5));
  EXPECT_FALSE(learner.evaluate_if_due(revision, TimePoint(1h + 1s)));
  EXPECT_DOUBLE_EQ(learner.advice()->kept_load, 20);
  EXPECT_GE(learner.applied_to(revision.settings).min_scale, 5);
  learner.follow(revision.settings);
  EXPECT_FALSE(learner.follow_share(0.5)) << "other settings leave the share as it is";
  EXPECT_EQ(learner.state().jumps.jumps.front().load, 40);
}

TEST(RunningVersion, PodsOfTwoTemplatesAreARollout) {
  const auto version = [](const std::vector<std::string>& pods) {
    return running_version(listed(config::SlowBrain::kAuto, pods));
  };
  EXPECT_EQ(version({"web-1", "web-2"}).version, "");
  EXPECT_EQ(version({"web-6b7c9d8f4b-x2x2x"}).version, "web-6b7c9d8f4b");
  EXPECT_FALSE(version({"web-6b7c9d8f4b-x2x2x", "web-6b7c9d8f4b-abcde"}).is_rollout);
  const RunningVersion both = version({"web-6b7c9d8f4b-x2x2x", "web-7777777777-abcde"});
  EXPECT_TRUE(both.is_rollout);
  EXPECT_EQ(both.version, "web-7777777777");
}

class SlowFile : public testing::Test {
 protected:
  SlowFile() : path_(folder_.path("learned.slow")) {}

  SlowStates learned() const {
    const cluster::Revision revision = listed(config::SlowBrain::kAuto, {"web-1"});
    SlowLearner learner(revision.settings, TimePoint(1h));
    run(learner, revision, TimePoint(1h));
    return {{RevisionId("web"), learner.state()}};
  }
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  Result<SlowStates> read() const { return read_slow_file(path_, now_, wall_); }

  const test::TemporaryFolder folder_;
  const std::string path_;
  const TimePoint now_{1h + 600s};
  const WallTime wall_{std::chrono::hours(24 * 365 * 50)};
};

TEST_F(SlowFile, WhatWasLearnedSurvivesARestart) {
  const SlowStates states = learned();
  ASSERT_TRUE(write_slow_file(path_, states, now_, wall_).has_value());
  const auto read_back = read();
  ASSERT_TRUE(read_back.has_value()) << to_string(read_back.error());
  EXPECT_EQ(*read_back, states);
}

TEST_F(SlowFile, AJumpOfTheWallClockAgesTablesByAMonthAtMost) {
  const SlowStates states = learned();
  ASSERT_TRUE(write_slow_file(path_, states, now_, wall_).has_value());
  const auto read_at = [&](WallTime wall) { return read_slow_file(path_, now_, wall); };
  EXPECT_EQ(read_at(wall_ - std::chrono::hours(24 * 365)).value(), states);
  const SlowStates after_a_month = read_at(wall_ + std::chrono::hours(24 * 30)).value();
  EXPECT_NE(after_a_month, states);
  EXPECT_EQ(read_at(wall_ + std::chrono::hours(24 * 365 * 40)).value(), after_a_month);
}

TEST_F(SlowFile, ABrokenOneIsToldAndPutAside) {
  std::string text = slow_states_text(learned(), now_, wall_);
  text[text.size() / 2] ^= 1;
  write(text);
  const auto broken = read();
  ASSERT_FALSE(broken.has_value());
  EXPECT_THAT(to_string(broken.error()), HasSubstr("checksum"));
  EXPECT_THAT(to_string(broken.error()), HasSubstr(".unusable"));
  EXPECT_TRUE(std::filesystem::exists(path_ + ".unusable"));
  EXPECT_TRUE(read()->empty());
}

TEST_F(SlowFile, OneOfAnotherVersionIsNamed) {
  write("bellows slow brain 3 0\n{}\n");
  const auto other = read();
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(to_string(other.error()), HasSubstr("version: 3, want 2"));
}

TEST_F(SlowFile, NoFileIsNothingLearned) {
  ASSERT_TRUE(read().has_value());
  EXPECT_TRUE(read()->empty());
}

}  // namespace
}  // namespace bellows::autoscaler
