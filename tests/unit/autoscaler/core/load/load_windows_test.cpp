#include "autoscaler/core/load/load_windows.hpp"

#include <gtest/gtest.h>
// After gtest: its macros build on gtest's.
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "config/revision_schema.hpp"
#include "tests/support/stat_diary.hpp"

namespace bellows::autoscaler::test {
namespace {

using bellows::test::StatDiary;
using metrics::StatSource;

constexpr Duration kDeadAfter = std::chrono::seconds(3);

config::RevisionSettings settings_of(const char* profile) {
  const config::Layer layer = {config::flag("profile", profile)};
  return config::revision_schema().apply({layer}).value();
}

/// Two replicas with 4 and 6 in flight, and an activator where `waiting` wait; the reports of two
/// seconds are lost, of which the first counts the reports before it, a second and a half old.
LoadWindows after_a_minute(const config::RevisionSettings& settings, double waiting = 0) {
  LoadWindows windows(settings, kDeadAfter);
  for (int second = 0; second < 60; ++second) {
    const TimePoint now = StatDiary::at(second);
    if (second == 56 || second == 57) continue;
    windows.record(StatDiary::stat("a", second, 4), now);
    windows.record(StatDiary::stat("b", second, 6), now);
    windows.record(StatDiary::stat("activator", second, waiting, StatSource::kActivator), now);
  }
  return windows;
}

TEST(LoadWindowsOfBellows, TakeALostSecondForZeroAsKnativeDoes) {
  const Observation view = after_a_minute(settings_of("bellows"), 5).view(StatDiary::at(59));
  EXPECT_DOUBLE_EQ(view.stable.total, 58 * 15 / 59.0);
  EXPECT_DOUBLE_EQ(view.panic.total, 12);
  EXPECT_DOUBLE_EQ(view.stable.per_pod, 5);
  EXPECT_EQ(view.observed, 2);
}

TEST(LoadWindowsOfKnative, TakeALostSecondForZero) {
  // Seconds 0 to 58 are over; second 57 is a gap between two scrapes.
  const Observation view = after_a_minute(settings_of("knative"), 5).view(StatDiary::at(59));
  EXPECT_DOUBLE_EQ(view.stable.total, 14.745763);  // 58 * 15 / 59, to six decimals
  EXPECT_DOUBLE_EQ(view.panic.total, 12);          // of five seconds, 54 to 58, one is lost
  EXPECT_EQ(view.stable.covered_seconds, 60);
  EXPECT_EQ(view.panic.covered_seconds, 6);
}

/// The panic window's load under a steady 50, with a window of 10 s: the panic window has a second.
double panic_load_of_a_second(const char* profile) {
  config::RevisionSettings settings = settings_of(profile);
  settings.window = std::chrono::seconds(10);
  LoadWindows windows(settings, kDeadAfter);
  for (int second = 0; second < 20; ++second) {
    windows.record(StatDiary::stat("a", second, 50), StatDiary::at(second));
  }
  return windows.view(StatDiary::at(19)).panic.total;
}

TEST(LoadWindowsOfBellows, SeeALoadInAPanicWindowOfASecond) {
  EXPECT_EQ(panic_load_of_a_second("bellows"), 50);
}

TEST(LoadWindowsOfKnative, SeeNothingInAPanicWindowOfASecondThatIsNotScraped) {
  EXPECT_EQ(panic_load_of_a_second("knative"), 0);
}

TEST(LoadWindowsOfKnative, AreEmptyAWindowAfterTheLastReport) {
  LoadWindows windows = after_a_minute(settings_of("knative"));
  EXPECT_EQ(windows.view(StatDiary::at(60)).stable.covered_seconds, 60);
  EXPECT_EQ(windows.view(StatDiary::at(121)).stable.covered_seconds, 0);
}

TEST(LoadWindowsOfBellows, TakeASecondInWhichNobodyReportedForZero) {
  // Two requests of ten seconds with a pause of forty: at zero nobody reports.
  LoadWindows windows(settings_of("bellows"), kDeadAfter);
  for (int second = 0; second < 61; ++second) {
    if (second < 10 || second >= 50) {
      windows.record(StatDiary::stat("a", second, 3), StatDiary::at(second));
    }
    (void)windows.view(StatDiary::at(second));
  }
  const TimePoint now = StatDiary::at(60);
  const Observation view = windows.view(now);
  EXPECT_DOUBLE_EQ(view.stable.total, 20 * 3 / 59.0) << "seconds 1 to 9, 10 as 9, 50 to 59";
  EXPECT_DOUBLE_EQ(view.panic.total, 3);
}

TEST(LoadWindowsOfBellows, KnowWhatIsToldAfterARestart) {
  // The autoscaler starts in second 100. The queue-proxy tells what it missed.
  LoadWindows windows(settings_of("bellows"), kDeadAfter);
  for (int second = 41; second <= 100; ++second) {
    metrics::Stat late = StatDiary::stat("a", second, 8);
    late.age = std::chrono::seconds(100 - second);
    windows.record(late, StatDiary::at(100));
  }
  const Observation view = windows.view(StatDiary::at(101));
  EXPECT_DOUBLE_EQ(view.stable.total, 8);
  EXPECT_DOUBLE_EQ(view.panic.total, 8);
}

/// Replicas come and go, each with a time of its own within the second, and lose reports.
RC_GTEST_PROP(LoadWindowsOfBellows, HaveKnativesMeans, ()) {
  LoadWindows ours(settings_of("bellows"), kDeadAfter);
  LoadWindows theirs(settings_of("knative"), kDeadAfter);
  struct Source {
    std::string name;
    int at;  // milliseconds within a second
    int first;
    int last;
  };
  std::vector<Source> sources;
  const int count = *rc::gen::inRange(1, 6);
  for (int i = 0; i < count; ++i) {
    const int first = *rc::gen::inRange(0, 150);
    sources.push_back({"r" + std::to_string(i), *rc::gen::inRange(0, 1000), first,
                       first + *rc::gen::inRange(0, 80)});
  }
  std::ranges::sort(sources, {}, &Source::at);
  const TimePoint begin(std::chrono::hours(24));
  for (int second = 0; second < 240; ++second) {
    for (const Source& source : sources) {
      if (second < source.first || second > source.last) continue;
      if (*rc::gen::inRange(0, 8) == 0) continue;
      const auto stat = StatDiary::stat(source.name, second, *rc::gen::inRange(0, 4000) / 1024.0);
      const TimePoint now =
          begin + std::chrono::seconds(second) + std::chrono::milliseconds(source.at);
      ours.record(stat, now);
      theirs.record(stat, now);
    }
    if (second % 2 != 0) continue;
    const TimePoint now = begin + std::chrono::milliseconds(1000 * second + 1000);
    const Observation a = ours.view(now);
    const Observation b = theirs.view(now);
    RC_ASSERT(std::abs(a.stable.total - b.stable.total) < 2e-6);
    RC_ASSERT(std::abs(a.panic.total - b.panic.total) < 2e-6);
  }
}

TEST(LoadWindowsOfTheSeed, ShowTheMeanOfOneReplicaAndCountTheirNames) {
  const Observation view = after_a_minute(settings_of("seed"), 5).view(StatDiary::at(59));
  EXPECT_DOUBLE_EQ(view.stable.per_pod, 5);
  EXPECT_DOUBLE_EQ(view.panic.per_pod, 5);
  EXPECT_EQ(view.in_window, 2);
}

/// One replica with a third of a request in flight, half a minute into a window of one.
double half_a_minute(config::RevisionSettings settings, const config::ScalingRules& rules) {
  settings.rules = rules;
  LoadWindows windows(settings, kDeadAfter);
  for (int second = 0; second < 30; ++second) {
    windows.record(StatDiary::stat("a", second, 1.0 / 3), StatDiary::at(second));
  }
  return windows.view(StatDiary::at(30)).stable.total;
}

TEST(LoadWindowsSettings, WhetherAMeanIsRoundedIsASwitchOfItsOwnUnderEveryProfile) {
  for (const char* profile : {"bellows", "knative"}) {
    const config::RevisionSettings settings = settings_of(profile);
    config::ScalingRules rules = settings.rules;
    rules.average_rounding = config::AverageRounding::kSixDecimals;
    EXPECT_DOUBLE_EQ(half_a_minute(settings, rules), 0.333333) << profile;
    rules.average_rounding = config::AverageRounding::kNone;
    EXPECT_NEAR(half_a_minute(settings, rules), 1.0 / 3, 5e-7) << profile;
    EXPECT_NE(half_a_minute(settings, rules), 0.333333) << profile;
  }
}

TEST(LoadWindowsSettings, WhetherWeightsAreNormalisedIsASwitchOfItsOwnUnderEveryProfile) {
  // Each second weighs 0.8 of the next newer, so the first two have 0.2 + 0.16 of all weight.
  for (const char* profile : {"bellows", "knative"}) {
    config::RevisionSettings settings = settings_of(profile);
    settings.aggregation = config::Aggregation::kWeightedExponential;
    const auto two_seconds = [&](config::WeightedMean mean) {
      settings.rules.weighted_mean = mean;
      LoadWindows windows(settings, kDeadAfter);
      windows.record(StatDiary::stat("a", 0, 10), StatDiary::at(0));
      windows.record(StatDiary::stat("a", 1, 10), StatDiary::at(1));
      return windows.view(StatDiary::at(1)).stable.total;
    };
    const bool is_knative = settings.profile == config::Profile::kKnative;
    EXPECT_DOUBLE_EQ(two_seconds(config::WeightedMean::kNormalized), 10) << profile;
    // Under Knative's windows the second 1 is not over yet, and the second 0 weighs 0.16.
    EXPECT_NEAR(two_seconds(config::WeightedMean::kRaw), is_knative ? 1.6 : 3.6, 1e-9) << profile;
  }
}

TEST(LoadWindowsSettings, AShorterWindowKeepsItsHistoryInEveryArithmetic) {
  for (const char* profile : {"bellows", "knative", "seed"}) {
    config::RevisionSettings settings = settings_of(profile);
    LoadWindows windows(settings, kDeadAfter);
    for (int second = 0; second < 60; ++second) {
      windows.record(StatDiary::stat("a", second, second < 30 ? 0 : 6), StatDiary::at(second));
    }
    settings.window = std::chrono::seconds(20);
    windows.follow(settings, StatDiary::at(60));
    const Observation view = windows.view(StatDiary::at(60));
    const bool is_seed = settings.profile == config::Profile::kSeed;
    EXPECT_DOUBLE_EQ(is_seed ? view.stable.per_pod : view.stable.total, 6) << profile;
  }
}

TEST(LoadWindowsSettings, KnativesWindowIsZerosIfItChangesAfterASilenceLongerThanItWas) {
  for (const int silence : {60, 61}) {
    config::RevisionSettings settings = settings_of("knative");
    LoadWindows windows(settings, kDeadAfter);
    windows.record(StatDiary::stat("a", 0, 6), {.concurrency = 6, .requests = 0}, StatDiary::at(0));
    settings.window = std::chrono::seconds(120);
    // Nobody looked meanwhile.
    windows.follow(settings, StatDiary::at(silence));
    const Observation view = windows.view(StatDiary::at(silence));
    const bool is_kept = silence == 60;
    EXPECT_EQ(view.stable.covered_seconds, 120) << silence << ": not empty, as in Knative";
    EXPECT_DOUBLE_EQ(view.stable.total, is_kept ? 0.1 : 0) << "6 in a minute";
  }
}

TEST(LoadWindowsSettings, AnotherMeasureTakesEffectAtOnce) {
  config::RevisionSettings settings = settings_of("bellows");
  LoadWindows windows(settings, kDeadAfter);
  for (int second = 0; second < 60; ++second) {
    metrics::Stat stat = StatDiary::stat("a", second, 2);
    stat.peak = 9;
    stat.requests = 40;
    windows.record(stat, StatDiary::at(second));
  }
  settings.metric = config::Metric::kRps;
  windows.follow(settings, StatDiary::at(59));
  EXPECT_DOUBLE_EQ(windows.view(StatDiary::at(59)).stable.total, 40);
  settings.metric = config::Metric::kConcurrency;
  settings.aggregation = config::Aggregation::kPeak;
  windows.follow(settings, StatDiary::at(59));
  EXPECT_DOUBLE_EQ(windows.view(StatDiary::at(59)).stable.total, 9);
}

TEST(LoadWindowsSettings, AnotherProfileStartsWithWhatIsReportedFromThenOn) {
  LoadWindows windows(settings_of("bellows"), kDeadAfter);
  for (int second = 0; second < 30; ++second) {
    windows.record(StatDiary::stat("a", second, 3), StatDiary::at(second));
  }
  windows.follow(settings_of("knative"), StatDiary::at(29));
  EXPECT_EQ(windows.view(StatDiary::at(29)).stable.covered_seconds, 0);
  for (int second = 30; second < 33; ++second) {
    windows.record(StatDiary::stat("a", second, 3), StatDiary::at(second));
  }
  EXPECT_DOUBLE_EQ(windows.view(StatDiary::at(33)).stable.total, 3);
}

TEST(LoadWindows, ADuplicateChangesNothing) {
  for (const char* profile : {"bellows", "knative", "seed"}) {
    LoadWindows windows(settings_of(profile), kDeadAfter);
    for (int second = 0; second < 10; ++second) {
      const metrics::Stat stat = StatDiary::stat("a", second, 3);
      windows.record(stat, StatDiary::at(second));
      EXPECT_EQ(windows.record(stat, StatDiary::at(second)), metrics::RecordResult::kDuplicate);
    }
    const Observation view = windows.view(StatDiary::at(10));
    EXPECT_DOUBLE_EQ(profile == std::string("seed") ? view.stable.per_pod : view.stable.total, 3);
  }
}

}  // namespace
}  // namespace bellows::autoscaler::test
