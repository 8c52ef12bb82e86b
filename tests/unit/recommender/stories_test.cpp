// Days in the life of one replica, each answer applied at once: reported as they are, and with a
// restart of the recommender in the middle, which nobody must be able to see.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "tests/unit/recommender/scene.hpp"

namespace bellows::recommender {
namespace {

using config::RecommenderPolicy;

constexpr int kMinutesADay = 24 * 60;

struct Need {
  double millicores = 0;
  double mebibytes = 0;
  bool operator==(const Need&) const = default;
};

struct Story {
  const char* name;
  int minutes;
  int middle;  ///< the minute in which the recommender restarts
  double first_mebibytes;
  /// What it needs in each minute; it dies of less memory.
  std::function<Need(int)> need;
  bool is_told_why =
      true;  ///< the kernel kills it for memory; or else it just ends, again and again
};

/// What came of a story.
struct Report {
  std::vector<Amounts> answers;  ///< by minute; empty: nothing was said
  std::vector<int> deaths;       ///< minutes
  std::string end;               ///< all that is known at the end
  std::vector<std::string> reasons;

  std::int64_t mebibytes(int minute) const {
    return answers[static_cast<std::size_t>(minute)].memory.value_or(Bytes{}).value / kMi;
  }
  int deaths_since(int minute) const {
    return static_cast<int>(
        std::count_if(deaths.begin(), deaths.end(), [&](int at) { return at >= minute; }));
  }
};

/// One minute: it lives on what it needs, or dies of what it has.
class Life {
 public:
  Life(RecommenderPolicy policy, const Story& story) : story_(story), scene_(policy) {
    has_ = {Millicores{100}, Bytes{static_cast<std::int64_t>(story.first_mebibytes) * kMi}};
    apply(0);
  }

  void minute(int minute) {
    const double at = minute * kMinute;
    const Need need = story_.need(minute);
    const double bytes = need.mebibytes * static_cast<double>(kMi);
    if (bytes > static_cast<double>(has_.memory->value)) {
      die(minute);
    } else {
      live(at, need.millicores, bytes);
    }
    const Recommendation recommendation = scene_.recommend(at + 1);
    if (recommendation.sizes) take(recommendation.sizes->target);
    reported.answers.push_back(recommendation.sizes ? recommendation.sizes->target : Amounts());
    reported.reasons = {to_string(recommendation.cpu, Resource::kCpu),
                        to_string(recommendation.memory, Resource::kMemory)};
    apply(at + 2);
  }
  void restart_recommender(int minute) { scene_.restart(minute * kMinute + 3); }
  void end(int minute) { reported.end = scene_.policy().save(replay_time(minute * kMinute)); }

  Report reported;

 private:
  void live(double at, double millicores, double bytes) {
    if (deaths_in_a_row_ > 1) scene_.event(at, CrashLoop{false});
    if (deaths_in_a_row_ > 0) scene_.event(at, Started{});
    deaths_in_a_row_ = 0;
    scene_.cpu(at, millicores);
    scene_.memory(at, bytes);
  }
  void die(int minute) {
    const double at = minute * kMinute;
    reported.deaths.push_back(minute);
    if (story_.is_told_why) scene_.event(at, OomKilled{*has_.memory});
    scene_.event(at, Crashed{});
    if (++deaths_in_a_row_ == 2) scene_.event(at, CrashLoop{true});
  }
  /// What is not said stays.
  void take(const Amounts& target) {
    if (target.cpu) has_.cpu = target.cpu;
    if (target.memory) has_.memory = target.memory;
  }
  void apply(double at) { scene_.request(at, has_.cpu->value, has_.memory->value); }

  const Story& story_;
  Scene scene_;
  Amounts has_;
  int deaths_in_a_row_ = 0;
};

Report play(RecommenderPolicy policy, const Story& story, bool restarts = false) {
  Life life(policy, story);
  for (int minute = 0; minute < story.minutes; ++minute) {
    life.minute(minute);
    if (restarts && minute == story.middle) life.restart_recommender(minute);
  }
  life.end(story.minutes);
  return std::move(life.reported);
}

Story crash_loop() {
  return {"CrashLoop", 2 * 60, 4, 256, [](int) { return Need{100, 1900}; }, false};
}
Story oom_ladder() {
  return {"OomLadder", 2 * 60, 2, 250, [](int) { return Need{100, 4000}; }};
}
constexpr int kSpike = 4 * kMinutesADay;
Story one_spike() {
  return {"OneSpike", 8 * kMinutesADay, kSpike + 5, 512, [](int minute) {
            return minute >= kSpike && minute < kSpike + 10 ? Need{1500, 2000} : Need{200, 300};
          }};
}
Story nightly_batch() {
  return {"NightlyBatch", 6 * kMinutesADay, 3 * kMinutesADay + 90, 512, [](int minute) {
            return minute % kMinutesADay / 60 == 1 ? Need{2000, 1500} : Need{200, 300};
          }};
}
Story leak() {
  return {"Leak", 3 * kMinutesADay, kMinutesADay + 700, 512, [](int minute) {
            return Need{200, 200 + 100. / 60 * (minute % kMinutesADay)};
          }};
}

// --- what each story is about

TEST(StoryOfACrashLoop, HealsWithinMinutesWhereCrashesDoubleTheSizeAndThenRests) {
  const Report reported = play(RecommenderPolicy::kSpike, crash_loop());
  EXPECT_LE(reported.deaths.size(), 7U);
  EXPECT_EQ(reported.deaths_since(30), 0);
  EXPECT_EQ(reported.mebibytes(119), reported.mebibytes(30)) << "healed: nothing doubles any more";
}

TEST(StoryOfACrashLoop, NeverEndsUnderPoliciesThatAnswerKillsForMemoryOnly) {
  for (const auto policy : {RecommenderPolicy::kVpa, RecommenderPolicy::kHybrid}) {
    EXPECT_EQ(play(policy, crash_loop()).deaths.size(), 120U);
  }
}

TEST(StoryOfAnOomLadder, IsShorterTheMoreAKillAdds) {
  EXPECT_EQ(play(RecommenderPolicy::kVpa, oom_ladder()).deaths.size(), 8U);
  EXPECT_EQ(play(RecommenderPolicy::kSpike, oom_ladder()).deaths.size(), 4U);
  EXPECT_EQ(play(RecommenderPolicy::kHybrid, oom_ladder()).deaths.size(), 2U);
}

TEST(StoryOfOneSpike, InflatesForHoursUnderSpikeAndForThreeDaysElsewhere) {
  const Report vpa = play(RecommenderPolicy::kVpa, one_spike());
  const Report spike = play(RecommenderPolicy::kSpike, one_spike());
  const Report hybrid = play(RecommenderPolicy::kHybrid, one_spike());
  for (const Report* each : {&vpa, &spike, &hybrid}) {
    EXPECT_GE(each->mebibytes(kSpike + 9), 2000) << "it was given what the spike needed";
  }
  EXPECT_LE(spike.mebibytes(kSpike + 2 * 60), 700);
  EXPECT_GT(vpa.mebibytes(kSpike + 2 * kMinutesADay), 2000) << "it keeps nine peaks in ten";
  EXPECT_GT(hybrid.mebibytes(kSpike + 2 * kMinutesADay), 2000) << "so does hybrid";
}

TEST(StoryOfANightlyBatch, DiesInTheFirstNightOnlyWhereTheNightIsRemembered) {
  const int second_night = kMinutesADay;
  EXPECT_EQ(play(RecommenderPolicy::kVpa, nightly_batch()).deaths_since(second_night), 0);
  EXPECT_EQ(play(RecommenderPolicy::kHybrid, nightly_batch()).deaths_since(second_night), 0);
  EXPECT_GT(play(RecommenderPolicy::kSpike, nightly_batch()).deaths_since(second_night), 0)
      << "what was half an hour ago is forgotten by noon";
}

TEST(StoryOfALeak, NobodyDiesOfItAndItsEndIsNotHeldAgainstTheNextDay) {
  for (const auto policy : {RecommenderPolicy::kSpike, RecommenderPolicy::kHybrid}) {
    EXPECT_TRUE(play(policy, leak()).deaths.empty());
  }
}

// --- a restart in the middle of each

using Under = std::tuple<RecommenderPolicy, std::function<Story()>>;
class StoryWithARestart : public testing::TestWithParam<Under> {};

TEST_P(StoryWithARestart, EndsAsItWouldHaveWithoutToTheLastUnit) {
  const auto& [policy, story] = GetParam();
  const Report straight = play(policy, story());
  const Report restarted = play(policy, story(), true);
  EXPECT_EQ(restarted.answers, straight.answers);
  EXPECT_EQ(restarted.deaths, straight.deaths);
  EXPECT_EQ(restarted.reasons, straight.reasons);
  EXPECT_EQ(restarted.end, straight.end);
}

std::string story_name(const testing::TestParamInfo<Under>& row) {
  constexpr std::array<const char*, 3> kNames{"Vpa", "Spike", "Hybrid"};
  const auto& [policy, story] = row.param;
  return std::string(story().name) + "Under" + kNames[static_cast<std::size_t>(policy)];
}

INSTANTIATE_TEST_SUITE_P(
    Stories, StoryWithARestart,
    testing::Combine(testing::Values(RecommenderPolicy::kVpa, RecommenderPolicy::kSpike,
                                     RecommenderPolicy::kHybrid),
                     testing::Values(crash_loop, oom_ladder, one_spike, nightly_batch, leak)),
    story_name);

}  // namespace
}  // namespace bellows::recommender
