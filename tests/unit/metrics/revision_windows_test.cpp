#include "metrics/revision_windows.hpp"

#include <gtest/gtest.h>

#include "tests/support/stat_diary.hpp"

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;
using test::StatDiary;

class WindowsDiary : public ::testing::Test {
 protected:
  double total(std::int64_t now, Window window = Window::kStable) {
    return windows.average(window, StatDiary::at(now)).total;
  }
  WindowView view(std::int64_t now, Window window = Window::kStable) {
    return windows.average(window, StatDiary::at(now));
  }
  void both(std::int64_t second, double a, double b) {
    diary.record(StatDiary::stat("a", second, a), second);
    diary.record(StatDiary::stat("b", second, b), second);
  }

  RevisionWindows windows{60s, 6s, 3s};
  StatDiary diary{windows};
};

TEST_F(WindowsDiary, WithoutReportsNothingIsKnown) {
  const WindowView nothing = view(0);
  EXPECT_EQ(nothing.total, 0);
  EXPECT_EQ(nothing.pods, 0);
  EXPECT_EQ(nothing.known_seconds, 0);
  EXPECT_EQ(nothing.covered_seconds, 0);
  EXPECT_EQ(nothing.newest_age, Duration::max());
  EXPECT_FALSE(windows.last_load().has_value());
}

TEST_F(WindowsDiary, SteadyLoadIsThatLoadInBothWindows) {
  diary.steady("a", 0, 100, 7);
  EXPECT_DOUBLE_EQ(total(100), 7);
  EXPECT_DOUBLE_EQ(total(100, Window::kPanic), 7);
  EXPECT_EQ(view(100).known_seconds, 60);
  EXPECT_EQ(view(100, Window::kPanic).known_seconds, 6);
  EXPECT_EQ(view(100).newest_age, 0s);
}

TEST_F(WindowsDiary, TheNewestLoadIsWhatEachSourceJustReported) {
  both(0, 3, 5);
  both(1, 4, 6);
  diary.record(StatDiary::stat("activator", 1, 2, StatSource::kActivator), 1);
  EXPECT_DOUBLE_EQ(windows.newest_load(StatDiary::at(1)), 12);
  diary.record(StatDiary::stat("a", 2, 9), 2);
  diary.record(StatDiary::stat("a", 3, 9), 3);
  EXPECT_DOUBLE_EQ(windows.newest_load(StatDiary::at(3)), 9);  // b has left, or was not received
}

TEST_F(WindowsDiary, RequestsASecondAreThoseThatReachedReplicas) {
  for (std::int64_t s = 0; s < 10; ++s) {
    Stat stat = StatDiary::stat("a", s, 1);
    stat.requests = s < 5 ? 10 : 40;
    diary.record(stat, s);
    Stat held = StatDiary::stat("activator", s, 1, StatSource::kActivator);
    held.requests = 7;
    diary.record(held, s);
  }
  EXPECT_DOUBLE_EQ(view(9).requests, 25);
  EXPECT_DOUBLE_EQ(view(9, Window::kPanic).requests, 35);
}

TEST_F(WindowsDiary, TheWorkedExampleOfTheHeader) {
  RevisionWindows ten(10s, 6s, 3s);
  StatDiary story(ten);
  for (std::int64_t s = 0; s < 10; ++s) {
    if (s != 4) story.record(StatDiary::stat("a", s, 8), s);
    if (s >= 2 && s <= 4) story.record(StatDiary::stat("b", s, 6), s);
    if (s >= 1 && s <= 3) {
      const double waiting = s == 1 ? 20 : s == 2 ? 10 : 0;
      story.record(StatDiary::stat("c", s, waiting, StatSource::kActivator), s);
    }
  }
  const WindowView seen = ten.average(Window::kStable, StatDiary::at(9));
  EXPECT_DOUBLE_EQ(seen.total, 12.8);
  EXPECT_EQ(seen.pods, 1);
  EXPECT_DOUBLE_EQ(seen.per_pod, 7.5);
  EXPECT_EQ(seen.known_seconds, 10);
  EXPECT_EQ(seen.covered_seconds, 10);
}

TEST_F(WindowsDiary, ARevisionJustWokenIsAveragedOverTheSecondsItIsKnownFor) {
  diary.steady("a", 0, 2, 30);
  EXPECT_DOUBLE_EQ(total(2), 30);
  EXPECT_EQ(view(2).covered_seconds, 3);
}

TEST_F(WindowsDiary, ALostSecondInASteadyLoadChangesNothing) {
  for (std::int64_t s = 0; s <= 80; ++s) {
    if (s % 5 != 3) diary.record(StatDiary::stat("a", s, 9), s);
  }
  EXPECT_DOUBLE_EQ(total(80), 9);
  EXPECT_DOUBLE_EQ(total(80, Window::kPanic), 9);
  EXPECT_EQ(view(80).known_seconds, 48);
  EXPECT_EQ(view(80).covered_seconds, 60);
}

TEST_F(WindowsDiary, TheNewestSecondNotHavingArrivedYetChangesNothing) {
  for (std::int64_t s = 0; s <= 79; ++s) both(s, 9, 3);
  diary.steady("a", 80, 80, 9);
  EXPECT_DOUBLE_EQ(total(80), 12);
  EXPECT_DOUBLE_EQ(total(82, Window::kPanic), 12);
}

TEST_F(WindowsDiary, TwiceThePodsAtHalfTheLoadIsTheSameTotal) {
  for (std::int64_t s = 0; s <= 80; ++s) {
    both(s, s < 40 ? 10 : 5, s < 40 ? 10 : 5);
    if (s < 40) continue;
    diary.record(StatDiary::stat("c", s, 5), s);
    diary.record(StatDiary::stat("d", s, 5), s);
  }
  EXPECT_NEAR(total(80), 20, 1e-9);
  EXPECT_EQ(view(80).pods, 4);
}

TEST_F(WindowsDiary, AStepInTheLoadFillsThePanicWindowFirst) {
  diary.steady("a", 0, 59, 10);
  diary.steady("a", 60, 62, 40);
  EXPECT_DOUBLE_EQ(total(62, Window::kPanic), 25);
  EXPECT_DOUBLE_EQ(total(62), (57 * 10 + 3 * 40) / 60.0);
  diary.steady("a", 63, 65, 40);
  EXPECT_DOUBLE_EQ(total(65, Window::kPanic), 40);
}

TEST_F(WindowsDiary, AKilledPodCountsForThreeSecondsAndThenOnlyInItsPast) {
  for (std::int64_t s = 0; s <= 60; ++s) both(s, 10, 10);
  diary.steady("a", 61, 63, 10);
  EXPECT_EQ(view(63).pods, 2);
  EXPECT_DOUBLE_EQ(total(63), 20) << "not yet known to be gone";
  diary.steady("a", 64, 64, 10);
  EXPECT_EQ(view(64).pods, 1);
  EXPECT_DOUBLE_EQ(total(64), 10 + 10 * 56 / 60.0);
  EXPECT_DOUBLE_EQ(total(64, Window::kPanic), 10 + 10 * 2 / 6.0);
  diary.steady("a", 65, 120, 10);
  EXPECT_DOUBLE_EQ(total(120), 10);
  EXPECT_FALSE(windows.latest(PodName("b")).has_value());
}

TEST_F(WindowsDiary, WhenAllSourcesAreGoneTheKnownSecondsStandUntilTheyLeave) {
  diary.steady("a", 0, 59, 10);
  EXPECT_DOUBLE_EQ(total(90), 10);
  EXPECT_EQ(view(90).pods, 0);
  EXPECT_EQ(view(90).covered_seconds, 29);
  EXPECT_EQ(view(90).newest_age, 31s);
  EXPECT_EQ(total(119), 0);
  EXPECT_EQ(view(119).covered_seconds, 0);
}

TEST_F(WindowsDiary, SecondsInWhichNoSourceLivedAreLeftOutOfTheMean) {
  diary.steady("a", 0, 9, 10);
  diary.steady("b", 30, 39, 4);
  EXPECT_DOUBLE_EQ(total(39), 7);
  EXPECT_EQ(view(39).covered_seconds, 20);
  EXPECT_EQ(view(39).known_seconds, 20);
}

TEST_F(WindowsDiary, AnIdleRevisionIsKnownToBeIdle) {
  diary.steady("a", 0, 100, 0);
  EXPECT_EQ(total(100), 0);
  EXPECT_EQ(view(100).known_seconds, 60);
  EXPECT_FALSE(windows.last_load().has_value());
}

TEST_F(WindowsDiary, TheLastSecondWithLoadIsRememberedBeyondTheWindow) {
  diary.steady("a", 0, 5, 1);
  diary.steady("a", 6, 200, 0);
  EXPECT_EQ(windows.last_load(), StatDiary::at(5));
}

TEST_F(WindowsDiary, WaitingRequestsAddToTheLoadButAnActivatorIsNoPod) {
  for (std::int64_t s = 0; s <= 60; ++s) {
    diary.record(StatDiary::stat("a", s, 10), s);
    diary.record(StatDiary::stat("act", s, 25, StatSource::kActivator), s);
  }
  const WindowView seen = view(60);
  EXPECT_DOUBLE_EQ(seen.total, 35);
  EXPECT_EQ(seen.pods, 1);
  EXPECT_DOUBLE_EQ(seen.per_pod, 10);
  EXPECT_EQ(windows.pods(StatDiary::at(60)).size(), 1U);
  EXPECT_TRUE(windows.reports(PodName("a"), StatDiary::at(60)));
  EXPECT_FALSE(windows.reports(PodName("act"), StatDiary::at(60)));
}

TEST_F(WindowsDiary, ARestartedPodContinuesWhereItWas) {
  diary.steady("a", 0, 39, 8);
  for (std::int64_t s = 41; s <= 80; ++s) {
    Stat stat = StatDiary::stat("a", s, 8);
    stat.boot = 2;
    stat.sequence = static_cast<std::uint64_t>(s - 41);
    EXPECT_EQ(diary.record(stat, s), RecordResult::kRecorded);
  }
  EXPECT_DOUBLE_EQ(total(80), 8);
  EXPECT_EQ(view(80).pods, 1);
  EXPECT_EQ(view(80).covered_seconds, 60);
}

TEST_F(WindowsDiary, APodThatDidNotReportForLongCarriedNothingInBetween) {
  for (std::int64_t s = 0; s <= 59; ++s) {
    diary.record(StatDiary::stat("a", s, 10), s);
    if (s < 30 || s >= 50) diary.record(StatDiary::stat("b", s, 10), s);
  }
  EXPECT_DOUBLE_EQ(total(59), 10 + 10 * 40 / 60.0);
}

TEST_F(WindowsDiary, AReplayAfterARestartOfTheAutoscalerGivesTheSameNumbersAgain) {
  const auto load = [](std::int64_t s) { return s < 50 ? 10.0 : 35.0; };
  for (std::int64_t s = 0; s <= 60; ++s) diary.record(StatDiary::stat("a", s, load(s)), s);

  RevisionWindows restarted(60s, 6s, 3s);
  StatDiary replayed(restarted);
  for (std::int64_t s = 0; s <= 60; ++s) {
    replayed.record_late(StatDiary::stat("a", s, load(s)), s, 61);
  }
  for (const Window window : {Window::kStable, Window::kPanic}) {
    EXPECT_EQ(restarted.average(window, StatDiary::at(61)).total, total(61, window));
  }
}

TEST_F(WindowsDiary, AReplayOfWhatIsKnownIsDroppedByNumber) {
  diary.steady("a", 0, 60, 10);
  for (std::int64_t s = 0; s <= 60; ++s) {
    Stat again = StatDiary::stat("a", s, 10);
    again.age = std::chrono::seconds(60 - s) + 700ms;  // as another connection would book it
    windows.record(again, StatDiary::at(60));
  }
  EXPECT_EQ(windows.count(RecordResult::kDuplicate), 59U);
  EXPECT_EQ(windows.count(RecordResult::kTooOld), 2U);
  EXPECT_EQ(windows.count(RecordResult::kRecorded), 61U);
  EXPECT_DOUBLE_EQ(total(60), 10);
}

TEST_F(WindowsDiary, WhatIsTooOldOrFromTheFutureIsRejectedAndCounted) {
  diary.steady("a", 0, 60, 10);
  EXPECT_EQ(diary.record_late(StatDiary::stat("b", 0, 99), 0, 60), RecordResult::kTooOld);
  EXPECT_EQ(diary.record_late(StatDiary::stat("b", 1, 99), 1, 60), RecordResult::kRecorded);
  Stat ahead = StatDiary::stat("b", 61, 99);
  ahead.age = -1001ms;
  EXPECT_EQ(diary.record(ahead, 60), RecordResult::kFromFuture);
  ahead.age = -1s;
  EXPECT_EQ(diary.record(ahead, 60), RecordResult::kRecorded);
  Stat ancient = StatDiary::stat("b", 62, 99);
  ancient.age = Duration::max();
  EXPECT_EQ(diary.record(ancient, 60), RecordResult::kTooOld);
  EXPECT_EQ(windows.count(RecordResult::kTooOld), 2U);
  EXPECT_EQ(windows.count(RecordResult::kFromFuture), 1U);
}

TEST_F(WindowsDiary, TheNewestReportOfEachPodIsAtHandForTheChoiceOfTheIdlestOne) {
  for (std::int64_t s = 0; s <= 10; ++s) both(s, 3, static_cast<double>(s));
  diary.record_late(StatDiary::stat("b", -1, 77), -1, 10);
  const auto newest = windows.latest(PodName("b"));
  ASSERT_TRUE(newest.has_value());
  EXPECT_EQ(newest->concurrency, 10);
  EXPECT_EQ(newest->end, StatDiary::at(10));
  EXPECT_EQ(windows.pods(StatDiary::at(13)).size(), 2U);
  EXPECT_EQ(windows.pods(StatDiary::at(14)).size(), 0U);
  EXPECT_TRUE(windows.reports(PodName("b"), StatDiary::at(13)));
  EXPECT_FALSE(windows.reports(PodName("b"), StatDiary::at(14)));
  EXPECT_FALSE(windows.reports(PodName("nobody"), StatDiary::at(13)));
  EXPECT_FALSE(windows.latest(PodName("nobody")).has_value());
}

TEST_F(WindowsDiary, AShortPanicWindowWithoutAReportTakesTheLastOne) {
  RevisionWindows one(6s, 1s, 3s);
  StatDiary story(one);
  story.steady("a", 0, 5, 12);
  EXPECT_DOUBLE_EQ(one.average(Window::kPanic, StatDiary::at(7)).total, 12);
  EXPECT_EQ(one.average(Window::kPanic, StatDiary::at(7)).known_seconds, 0);
  EXPECT_EQ(one.average(Window::kPanic, StatDiary::at(7)).covered_seconds, 1);
  EXPECT_EQ(one.average(Window::kPanic, StatDiary::at(9)).covered_seconds, 0);
}

TEST_F(WindowsDiary, OtherWindowLengthsKeepWhatIsKnown) {
  diary.steady("a", 0, 40, 10);
  diary.steady("a", 41, 60, 20);
  windows.resize(10s, 2s);
  EXPECT_DOUBLE_EQ(total(60), 20);
  windows.resize(120s, 12s);
  EXPECT_EQ(view(60).known_seconds, 10);
  EXPECT_EQ(diary.record_late(StatDiary::stat("a", 55, 20), 55, 60), RecordResult::kDuplicate);
  EXPECT_EQ(diary.record_late(StatDiary::stat("b", 0, 5), 0, 60), RecordResult::kRecorded);
}

TEST_F(WindowsDiary, AnInstantThatGoesBackCountsAsTheLatestOne) {
  diary.steady("a", 0, 60, 10);
  EXPECT_DOUBLE_EQ(total(50), 10);
  EXPECT_EQ(view(50).newest_age, 0s);
}

/// One source reports at `phase` within the seconds 1 to `last`, but not in second `lost`; it is
/// read every two seconds and at last at `read`.
struct KnativeMeans {
  const char* what;
  Duration phase;
  std::int64_t last;
  std::int64_t lost;
  double load_before_last;
  double last_load;
  Duration read;
  double stable;
  double panic;
};

const KnativeMeans kKnativeMeans[] = {
    {"all reports", 200ms, 9, 0, 9, 9, 10s, 9, 9},
    {"a lost report costs its second, read just after it", 200ms, 9, 7, 9, 9, 10s, 8, 7.2},
    {"or later", 200ms, 9, 6, 9, 9, 10s, 8, 7.2},
    {"none, if the one before is new enough", 700ms, 9, 7, 9, 9, 10s, 9, 9},
    {"a last report counts", 200ms, 7, 0, 0, 60, 9300ms, 60 / 7.0, 15},
    {"as long as it is in the window", 200ms, 7, 0, 0, 60, 11300ms, 60 / 7.0, 30},
    {"a first report counts", 200ms, 1, 0, 0, 60, 7300ms, 60, 0},
};

TEST(KnativeMean, CountsEachReportInItsSecond) {
  const TimePoint begin(24h);
  for (const KnativeMeans& row : kKnativeMeans) {
    RevisionWindows windows(60s, 6s, 3s);
    StatDiary diary(windows);
    for (std::int64_t s = 1; s <= row.last; ++s) {
      if (s % 2 == 0) windows.average(Window::kStable, begin + s * 1s);
      if (s == row.lost) continue;
      windows.record(StatDiary::stat("a", s, s == row.last ? row.last_load : row.load_before_last),
                     begin + s * 1s + row.phase);
    }
    const TimePoint now = begin + row.read;
    EXPECT_DOUBLE_EQ(windows.average(Window::kStable, now).knative_mean, row.stable) << row.what;
    EXPECT_DOUBLE_EQ(windows.average(Window::kPanic, now).knative_mean, row.panic) << row.what;
  }
}

/// Reads `windows` four times a second from length + 1 s on: both views are the steady load of 50.
void expect_steady(RevisionWindows& windows, Window window, std::int64_t length) {
  const TimePoint begin(24h);
  StatDiary diary(windows);
  for (std::int64_t quarter = 0; quarter < 4 * (length + 4); ++quarter) {
    const TimePoint now = begin + quarter * 250ms;
    const std::int64_t second = quarter / 4;
    if (quarter % 4 == 0) windows.record(StatDiary::stat("a", second, 30), now);
    if (quarter % 4 == 3) windows.record(StatDiary::stat("b", second, 20), now);
    const WindowView seen = windows.average(window, now);
    if (now - begin <= (length + 1) * 1s) continue;
    ASSERT_NEAR(seen.total, 50, 1e-9) << length << " s, quarter " << quarter;
    ASSERT_NEAR(seen.knative_mean, 50, 1e-9) << length << " s, quarter " << quarter;
  }
}

TEST(SteadyLoad, IsThatLoadInAWindowOfAnyLength) {
  for (std::int64_t length = 1; length <= 130; ++length) {
    RevisionWindows panic(std::max<std::int64_t>(length, 2) * 1s, length * 1s, 3s);
    expect_steady(panic, Window::kPanic, length);
    if (length < 2) continue;
    RevisionWindows stable(length * 1s, 1s, 3s);
    expect_steady(stable, Window::kStable, length);
  }
}

TEST(KnativeMean, OfOneSecondIsTheNewestThatIsOver) {
  RevisionWindows windows(10s, 1s, 3s);
  StatDiary diary(windows);
  diary.steady("a", 0, 5, 50);
  diary.record(StatDiary::stat("a", 6, 80), 6);
  const auto panic = [&](std::int64_t second) {
    return windows.average(Window::kPanic, StatDiary::at(second)).knative_mean;
  };
  EXPECT_EQ(panic(6), 50) << "second 6 is not over";
  EXPECT_EQ(panic(7), 80);
  EXPECT_EQ(panic(8), 80) << "no report, but the one before is a second and a half old at its end";
  EXPECT_EQ(panic(9), 0);
}

/// Windows of 20 s and 6 s get other lengths at 100 s.
struct Resized {
  const char* what;
  Duration stable;
  Duration panic;
  std::int64_t silent_from;  // no reports in these seconds
  std::int64_t silent_to;
  double stable_mean;
  double panic_mean;
};

const Resized kResized[] = {
    {"the same", 20s, 6s, 0, 0, 10, 10},
    {"longer", 60s, 12s, 0, 0, 10, 10},
    {"shorter", 10s, 2s, 0, 0, 10, 10},
    // The mean of the panic window began after the silence; now it begins before it. The seconds 91
    // to 96 are zeros, as second 90 counts the report of 89.
    {"longer than a silence of the old panic window", 60s, 12s, 90, 97, 130 / 19.0, 50 / 11.0},
};

TEST_F(WindowsDiary, AChangedLengthDoesNotChangeKnativesMeanOfASteadyLoad) {
  for (const Resized& row : kResized) {
    RevisionWindows changed(20s, 6s, 3s);
    StatDiary story(changed);
    for (std::int64_t s = 0; s <= 100; ++s) {
      if (row.silent_from <= s && s < row.silent_to) continue;
      story.record(StatDiary::stat("a", s, 10), s);
    }
    changed.resize(row.stable, row.panic);
    const TimePoint now = StatDiary::at(100);
    EXPECT_DOUBLE_EQ(changed.average(Window::kStable, now).knative_mean, row.stable_mean)
        << row.what;
    EXPECT_DOUBLE_EQ(changed.average(Window::kPanic, now).knative_mean, row.panic_mean) << row.what;
  }
}

TEST_F(WindowsDiary, NamesWithoutEndAreRejectedAndOnesThatWentMakeRoom) {
  for (std::size_t i = 0; i < RevisionWindows::kMaxSources; ++i) {
    diary.record(StatDiary::stat("p" + std::to_string(i), 0, 1), 0);
  }
  EXPECT_EQ(diary.record(StatDiary::stat("one too many", 0, 1), 0), RecordResult::kTooManySources);
  EXPECT_EQ(diary.record(StatDiary::stat("p0", 1, 1), 1), RecordResult::kRecorded);
  EXPECT_EQ(diary.record(StatDiary::stat("late", 60, 1), 60), RecordResult::kRecorded);
  EXPECT_EQ(view(60).pods, 1);
}

}  // namespace
}  // namespace bellows::metrics
