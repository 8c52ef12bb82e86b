// Stories of the default policy.
#include "recommender/core/hybrid_policy.hpp"

#include <gtest/gtest.h>

#include "tests/unit/recommender/scene.hpp"

namespace bellows::recommender {
namespace {

using config::RecommenderPolicy;

double mi(double mebibytes) {
  return mebibytes * static_cast<double>(kMi);
}

/// A day at 900m and 700 MiB, as an earlier revision had it.
std::unique_ptr<Scene> a_day_of_an_earlier_revision(RecommenderPolicy kind) {
  auto earlier = std::make_unique<Scene>(kind);
  for (double at = 0; at < kDay; at += kMinute) {
    earlier->cpu(at, 900);
    earlier->memory(at, mi(700));
    if (static_cast<int>(at) % 600 == 0) earlier->recommend(at);
  }
  return earlier;
}

TEST(NextRevision, InheritsTheTargetAndContinuesWithItsOwnData) {
  const auto earlier = a_day_of_an_earlier_revision(RecommenderPolicy::kHybrid);
  const Recommendation before = earlier->recommend(kDay);
  Scene next(RecommenderPolicy::kHybrid);
  next.policy().begin_after(earlier->policy(), replay_time(kDay));
  EXPECT_EQ(next.recommend(kDay).sizes, before.sizes) << "before its first sample";
  // It needs a third of that. Within the first hour that may be because it is new.
  const auto live = [&](double from, double to) {
    for (double at = from; at < to; at += kMinute) {
      next.cpu(at, 300);
      next.memory(at, mi(200));
      next.recommend(at);
    }
  };
  live(kDay + kMinute, kDay + 50 * kMinute);
  EXPECT_EQ(next.recommend(kDay + 50 * kMinute).sizes, before.sizes);
  live(kDay + 50 * kMinute, kDay + 3 * kHour);
  EXPECT_LT(next.cpu_target(kDay + 3 * kHour), 400);
  EXPECT_GT(next.memory_target(kDay + 3 * kHour), mi(700)) << "a daily peak is yet to come";
  live(kDay + 3 * kHour, 6 * kDay);
  EXPECT_LT(next.memory_target(6 * kDay), mi(300));
}

TEST(NextRevision, OfAServiceThatLivedForMinutesHasTheSameTarget) {
  WorkloadSettings settings;
  settings.settings.min_cpu_millicores = 1;
  settings.settings.min_memory_mebibytes = 1;
  Scene earlier(RecommenderPolicy::kHybrid, settings);
  for (double at = kMinute; at < 4 * kMinute; at += kMinute) {
    earlier.cpu(at, 30);
    earlier.memory(at, mi(3));
  }
  const Recommendation before = earlier.recommend(4 * kMinute);
  Scene next(RecommenderPolicy::kHybrid, settings);
  next.policy().begin_after(earlier.policy(), replay_time(4 * kMinute));
  EXPECT_EQ(next.recommend(4 * kMinute).sizes, before.sizes);
  EXPECT_EQ(next.recommend(10 * kMinute).sizes, before.sizes);
}

TEST(NextRevision, ThatNeedsMoreGetsItAtOnce) {
  const auto earlier = a_day_of_an_earlier_revision(RecommenderPolicy::kHybrid);
  Scene next(RecommenderPolicy::kHybrid);
  next.policy().begin_after(earlier->policy(), replay_time(kDay));
  next.memory(kDay + 3 * kMinute, mi(1500));
  EXPECT_GT(next.memory_target(kDay + 3 * kMinute), mi(1500));
}

TEST(NextRevision, IsNotKilledForTheMemoryThatTheOneBeforeWasKilledFor) {
  Scene earlier(RecommenderPolicy::kHybrid);
  earlier.request(0, 100, 256 * kMi);
  earlier.memory(kMinute, mi(200));
  earlier.event(2 * kMinute, OomKilled{Bytes{256 * kMi}});
  const std::int64_t held = earlier.memory_target(3 * kMinute);
  ASSERT_GE(held, 512 * kMi);
  Scene next(RecommenderPolicy::kHybrid);
  next.policy().begin_after(earlier.policy(), replay_time(4 * kMinute));
  for (double at = 5 * kMinute; at < 40 * kMinute; at += kMinute) next.memory(at, mi(200));
  EXPECT_EQ(next.memory_target(40 * kMinute), held);
  for (double at = 41 * kMinute; at < 2 * kDay; at += 10 * kMinute) {
    next.memory(at, mi(200));
    next.recommend(at);
  }
  EXPECT_LT(next.memory_target(2 * kDay), held) << "what it uses itself counts by then";
}

TEST(NextRevision, HasWhatIsKnownWhateverTheTwoPolicies) {
  const std::vector<RecommenderPolicy> all = {RecommenderPolicy::kVpa, RecommenderPolicy::kSpike,
                                              RecommenderPolicy::kHybrid};
  for (const RecommenderPolicy from : all) {
    const auto earlier = a_day_of_an_earlier_revision(from);
    const std::int64_t cpu = earlier->cpu_target(kDay);
    const std::int64_t memory = earlier->memory_target(kDay);
    for (const RecommenderPolicy to : all) {
      Scene next(to);
      next.policy().begin_after(earlier->policy(), replay_time(kDay));
      // vpa reads no targets: of a policy without histograms it knows nothing.
      if (to == RecommenderPolicy::kVpa && from == RecommenderPolicy::kSpike) continue;
      EXPECT_GE(next.cpu_target(kDay), 900) << next.policy().name() << " after " << cpu;
      EXPECT_LE(next.cpu_target(kDay), std::max<std::int64_t>(cpu, 1200));
      EXPECT_GE(next.memory_target(kDay), 700 * kMi) << next.policy().name() << " " << memory;
    }
  }
}

TEST(HybridPolicy, RecommendsNothingWithoutSamples) {
  Scene scene(RecommenderPolicy::kHybrid);
  EXPECT_FALSE(scene.recommend(1).sizes.has_value());
}

TEST(HybridPolicy, NeverStaysBelowTheUsageWithAnyFactor) {
  WorkloadSettings settings;
  settings.settings.hybrid.cpu_up_factor = 1;
  Scene scene(RecommenderPolicy::kHybrid, settings);
  scene.cpu(3660, 31554);
  scene.recommend(3660);
  scene.cpu(7320, 36243);
  EXPECT_GE(scene.cpu_target(7320), 36243);
}

TEST(HybridPolicy, IsIndependentOfTheOrderOfTwoSamplesOfOneTime) {
  std::vector<std::int64_t> targets;
  for (const auto& [first, second] : {std::pair{100, 2000}, {2000, 100}}) {
    Scene scene(RecommenderPolicy::kHybrid);
    scene.cpu(3600, first);
    scene.cpu(3600, second);
    targets.push_back(scene.cpu_target(3601));
  }
  EXPECT_EQ(targets[0], targets[1]);
  EXPECT_GE(targets[0], 2000);
}

/// Days until the target has fallen after one spike of memory.
int days_of_one_spike(double memory_percentile) {
  WorkloadSettings settings;
  settings.settings.hybrid.memory_percentile = memory_percentile;
  Scene scene(RecommenderPolicy::kHybrid, settings);
  const auto live = [&](double from, double to, double megabytes) {
    for (double at = from; at < to; at += 5 * kMinute) {
      scene.memory(at, mi(megabytes));
      scene.recommend(at);
    }
  };
  live(0, 4 * kDay, 400);
  const std::int64_t before = scene.memory_target(4 * kDay);
  scene.memory(4 * kDay, mi(2048));
  EXPECT_GT(scene.memory_target(4 * kDay), 2048 * kMi) << "in the same minute";
  for (int day = 0; day < 9; ++day) {
    live((4 + day) * kDay + kMinute, (5 + day) * kDay, 400);
    if (scene.memory_target((5 + day) * kDay) <= before * 11 / 10) return day + 1;
  }
  return 9;
}

TEST(HybridPolicy, RisesWithASpikeInOneStepAndFallsWithItsDailyPeak) {
  EXPECT_LE(days_of_one_spike(0.6), 2) << "most days needed less";
  EXPECT_LE(days_of_one_spike(config::HybridSettings{}.memory_percentile), 4) << "as under VPA";
}

TEST(HybridPolicy, KeepsTheMemoryOfANightlyBatchThroughTheDay) {
  Scene scene(RecommenderPolicy::kHybrid);
  std::int64_t noon = 0;
  for (int hour = 0; hour < 24 * 6; ++hour) {
    const bool is_night = hour % 24 == 2;
    for (double at = hour * kHour; at < (hour + 1) * kHour; at += 10 * kMinute) {
      scene.memory(at, mi(is_night ? 1500 : 300));
      const std::int64_t target = scene.memory_target(at);
      EXPECT_GE(target, mi(is_night ? 1500 : 300)) << hour;
      if (hour == 24 * 5 + 12) noon = target;
    }
  }
  EXPECT_GT(noon, 1500 * kMi) << "the next night needs it again";
}

TEST(HybridPolicy, StaysAheadOfALeak) {
  Scene scene(RecommenderPolicy::kHybrid);
  for (int minute = 0; minute < 24 * 60; ++minute) {
    const double usage = mi(200 + minute);
    if (minute > 0) {
      EXPECT_GT(static_cast<double>(scene.memory_target(minute * kMinute)), usage);
    }
    scene.memory(minute * kMinute, usage);
    scene.recommend(minute * kMinute);
  }
}

TEST(HybridPolicy, ACrashLoopRaisesNothingAndNothingFallsInIt) {
  Scene scene(RecommenderPolicy::kHybrid);
  scene.request(0, 1000, 400 * kMi);
  for (int minute = 3; minute < 200; ++minute) {
    if (minute == 30) scene.event(minute * kMinute, CrashLoop{true});
    if (minute == 190) scene.event(minute * kMinute, CrashLoop{false});
    scene.event(minute * kMinute, Crashed{});
    scene.cpu(minute * kMinute, 100);
    const std::int64_t target = scene.cpu_target(minute * kMinute);
    EXPECT_EQ(target == 1000, minute < 190) << minute << ": size is not the cause";
  }
}

TEST(HybridPolicy, ChangesRarelyUnderANoisyLoad) {
  Scene scene(RecommenderPolicy::kHybrid);
  int changes = 0;
  std::int64_t last = 0;
  for (int minute = 0; minute < 3 * 24 * 60; ++minute) {
    scene.cpu(minute * kMinute, 100 + minute * 7919 % 101);
    const std::int64_t target = scene.cpu_target(minute * kMinute);
    changes += minute > 24 * 60 && target != last ? 1 : 0;
    last = target;
  }
  EXPECT_LE(changes, 2);
}

TEST(HybridPolicy, CoversAStartAndForgetsItsCpuAfterwards) {
  Scene scene(RecommenderPolicy::kHybrid);
  scene.cpu(30, 1500);
  EXPECT_GE(scene.cpu_target(30), 1500);
  std::int64_t later = 0;
  for (int minute = 3; minute < 180; ++minute) {
    scene.cpu(minute * kMinute, 100);
    later = scene.cpu_target(minute * kMinute);
  }
  EXPECT_LT(later, 200);
}

TEST(HybridPolicy, RaisesOnlyMemoryAfterAnOomKill) {
  Scene scene(RecommenderPolicy::kHybrid);
  scene.request(0, 400, 256 * kMi);
  scene.cpu(3 * kMinute, 200);
  const std::int64_t cpu = scene.cpu_target(4 * kMinute);
  scene.event(300, OomKilled{Bytes{256 * kMi}});
  scene.event(300, Crashed{});
  EXPECT_EQ(scene.memory_target(6 * kMinute), 1024 * kMi);
  EXPECT_EQ(scene.cpu_target(6 * kMinute), cpu);
}

TEST(HybridPolicy, QuadruplesMemoryOnceForKillsOfOneSize) {
  Scene scene(RecommenderPolicy::kHybrid);
  const InstanceId other =
      scene.policy().add_instance(PodName("web-2"), ContainerName("app"), replay_time(0));
  scene.request(0, 400, 256 * kMi);
  for (const double at : {300., 320., 350.}) scene.event(at, OomKilled{Bytes{256 * kMi}});
  const Event second{replay_time(352), OomKilled{Bytes{256 * kMi}}};
  ASSERT_TRUE(scene.policy().record(other, second).has_value());
  EXPECT_EQ(scene.memory_target(6 * kMinute), 1024 * kMi) << "all died of the same size";
}

TEST(HybridPolicy, QuadruplesMemoryWhenTheRaisedTargetIsKilledToo) {
  Scene scene(RecommenderPolicy::kHybrid);
  std::int64_t has = 250 * kMi;
  std::vector<std::int64_t> answers;
  for (int minute = 1; minute < 4; ++minute) {
    scene.request(minute * kMinute, 100, has);
    scene.event(minute * kMinute + 1, OomKilled{Bytes{has}});
    has = scene.memory_target(minute * kMinute + 30);
    answers.push_back(has / kMi);
  }
  EXPECT_EQ(answers, (std::vector<std::int64_t>{1000, 4000, 16000}));
}

TEST(HybridPolicy, KillsAtTheMaximumRaiseTheUncappedTargetToTwiceThat) {
  WorkloadSettings settings;
  settings.containers = {
      {.container = ContainerName("app"), .max_allowed = {std::nullopt, mebibytes(512)}}};
  Scene scene(RecommenderPolicy::kHybrid, settings);
  scene.request(0, 100, 512 * kMi);
  for (int minute = 1; minute < 20; ++minute) {
    scene.event(minute * kMinute, OomKilled{mebibytes(512)});
    scene.event(minute * kMinute + 20, OomKilled{mebibytes(512)});
    const Sizes sizes = *scene.recommend(minute * kMinute + 30).sizes;
    EXPECT_EQ(sizes.target.memory, mebibytes(512));
    EXPECT_EQ(sizes.uncapped_target.memory, mebibytes(1024));
  }
}

TEST(HybridPolicy, ReturnsToTheUsageWithTheDailyPeakOfAnOomKill) {
  Scene scene(RecommenderPolicy::kHybrid);
  for (int minute = 0; minute < 6 * 24 * 60; ++minute) {
    const double at = minute * kMinute;
    scene.memory(at, mi(minute >= 240 && minute < 250 ? 900 : 300));
    if (minute == 240) scene.event(at, OomKilled{Bytes{512 * kMi}});
    if (minute == 241) scene.event(at, Started{});
    scene.recommend(at);
  }
  EXPECT_LT(scene.memory_target(6 * kDay), mi(500)) << "nine days in ten need 300";
}

TEST(HybridPolicy, StaysAheadOfMemoryThatGrowsByASixthEveryMinute) {
  Scene scene(RecommenderPolicy::kHybrid);
  double usage = mi(300);
  for (int minute = 0; minute < 40; ++minute) {
    const double at = minute * kMinute;
    if (minute > 10) usage *= minute > 12 ? 1.16 : 1.08;
    if (minute > 0) {
      EXPECT_GE(static_cast<double>(scene.memory_target(at)), usage) << minute;
    }
    scene.memory(at + 1, usage);
    scene.recommend(at + 2);
  }
}

TEST(HybridPolicy, SizesAShortJobByItsStarts) {
  Scene scene(RecommenderPolicy::kHybrid);
  for (int run = 1; run < 20; ++run) {
    const double at = run * 5 * kMinute;
    const InstanceId job = scene.policy().add_instance(PodName("job-" + std::to_string(run)),
                                                       ContainerName("app"), replay_time(at));
    const Usage usage{replay_time(at + 10), Resource::kCpu, 0.8};
    ASSERT_TRUE(scene.policy().record(job, usage).has_value());
    scene.policy().remove_instance(job);
  }
  EXPECT_GE(scene.cpu_target(20 * 5 * kMinute), 800);
}

TEST(HybridPolicy, ScalesDownAtMostChangesPerDayTimes) {
  Scene scene(RecommenderPolicy::kHybrid);
  int falls = 0;
  std::int64_t last = 0;
  for (int minute = 0; minute < 24 * 60; ++minute) {
    scene.cpu(minute * kMinute, minute % 120 == 3 ? 2000 : 100);
    const std::int64_t target = scene.cpu_target(minute * kMinute);
    falls += target < last ? 1 : 0;
    last = target;
  }
  EXPECT_EQ(falls, config::HybridSettings{}.changes_per_day);
}

TEST(HybridPolicy, DoesNotFallWithoutSamples) {
  Scene scene(RecommenderPolicy::kHybrid);
  const auto live = [&](double from, double to, double load) {
    for (double at = from; at < to; at += kMinute) {
      scene.cpu(at, load);
      scene.memory(at, mi(load));
      scene.recommend(at);
    }
  };
  live(0, 2 * kDay, 200);
  live(2 * kDay, 2 * kDay + kHour, 1000);
  const Sizes before = *scene.recommend(2 * kDay + kHour).sizes;
  double at = 2 * kDay + kHour;
  for (; at < 4 * kDay; at += 10 * kMinute) {
    EXPECT_EQ(scene.recommend(at).sizes, before) << "its source does not answer";
  }
  live(at, at + 50 * kMinute, 200);
  EXPECT_EQ(scene.recommend(at + 50 * kMinute).sizes, before) << "not yet watched for a window";
  live(at + 50 * kMinute, at + 4 * kHour, 200);
  EXPECT_LT(scene.cpu_target(at + 4 * kHour), 300);
}

TEST(HybridPolicy, KeepsItsStateAcrossARestart) {
  Scene scene(RecommenderPolicy::kHybrid);
  Scene undisturbed(RecommenderPolicy::kHybrid);
  for (int minute = 0; minute < 2000; ++minute) {
    for (Scene* each : {&scene, &undisturbed}) {
      each->cpu(minute * kMinute, 100 + minute * 7919 % 301);
      each->memory(minute * kMinute, mi(300 + minute * 31 % 97));
      if (minute == 700) each->event(minute * kMinute, OomKilled{Bytes{400 * kMi}});
    }
    if (minute % 333 == 5) scene.restart(minute * kMinute);
    EXPECT_EQ(scene.recommend(minute * kMinute).sizes,
              undisturbed.recommend(minute * kMinute).sizes)
        << minute;
  }
}

}  // namespace
}  // namespace bellows::recommender
