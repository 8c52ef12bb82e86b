#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "metrics/revision_windows.hpp"
#include "tests/support/stat_diary.hpp"

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;
using test::StatDiary;

constexpr std::int64_t kNow = 59;

struct Report {
  std::int64_t second;
  Stat stat;
};

/// Some pods and an activator that live for a while within the last minute and lose some seconds;
/// up to three boots each.
std::vector<Report> any_reports() {
  std::vector<Report> reports;
  const int sources = *rc::gen::inRange(1, 6);
  for (int i = 0; i < sources; ++i) {
    const auto first = *rc::gen::inRange<std::int64_t>(0, kNow);
    const auto last = *rc::gen::inRange<std::int64_t>(first, kNow + 1);
    const auto source = i == 4 ? StatSource::kActivator : StatSource::kReplica;
    for (std::int64_t s = first; s <= last; ++s) {
      if (*rc::gen::weightedElement<bool>({{1, true}, {6, false}})) continue;
      Stat stat =
          StatDiary::stat("p" + std::to_string(i), s, *rc::gen::inRange(0, 4000) / 64.0, source);
      stat.boot = static_cast<std::uint64_t>(s / 20);
      reports.push_back({s, stat});
    }
  }
  return reports;
}

Measure any_measure() {
  return {*rc::gen::element(Metric::kConcurrency, Metric::kRps),
          *rc::gen::element(Aggregation::kLinear, Aggregation::kWeightedExponential,
                            Aggregation::kPeak)};
}

WindowView view_of(const std::vector<Report>& reports, Window window, Measure measure = {}) {
  RevisionWindows windows(60s, 6s, 3s);
  windows.measure_by(measure);
  StatDiary diary(windows);
  for (const Report& report : reports) diary.record_late(report.stat, report.second, kNow);
  return windows.average(window, StatDiary::at(kNow));
}

bool is_near(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

bool is_same(const WindowView& a, const WindowView& b) {
  return is_near(a.total, b.total) && is_near(a.per_pod, b.per_pod) && a.pods == b.pods &&
         a.known_seconds == b.known_seconds && a.covered_seconds == b.covered_seconds &&
         a.newest_age == b.newest_age;
}

Window any_window() {
  return *rc::gen::element(Window::kStable, Window::kPanic);
}

RC_GTEST_PROP(WindowsProperty, TheOrderOfRecordsDoesNotMatter, ()) {
  auto reports = any_reports();
  const Window window = any_window();
  const Measure measure = any_measure();
  const WindowView before = view_of(reports, window, measure);
  SeededRandom random(*rc::gen::arbitrary<std::uint64_t>());
  for (std::size_t i = reports.size(); i > 1; --i) {
    std::swap(reports[i - 1], reports[random.next() % i]);
  }
  RC_ASSERT(is_same(before, view_of(reports, window, measure)));
}

RC_GTEST_PROP(WindowsProperty, ARepeatedRecordDoesNotMatter, ()) {
  auto reports = any_reports();
  const Window window = any_window();
  const Measure measure = any_measure();
  const WindowView before = view_of(reports, window, measure);
  const auto once = reports;
  reports.insert(reports.end(), once.rbegin(), once.rend());
  RC_ASSERT(is_same(before, view_of(reports, window, measure)));
}

RC_GTEST_PROP(WindowsProperty, TwiceTheLoadIsTwiceTheTotal, ()) {
  auto reports = any_reports();
  const Window window = any_window();
  const double before = view_of(reports, window).total;
  for (Report& report : reports) report.stat.concurrency *= 2;
  RC_ASSERT(is_near(view_of(reports, window).total, 2 * before));
}

RC_GTEST_PROP(WindowsProperty, TwiceThePodsAtHalfTheLoadIsTheSameTotal, ()) {
  const auto reports = any_reports();
  const Window window = any_window();
  std::vector<Report> halved;
  for (Report report : reports) {
    report.stat.concurrency /= 2;
    halved.push_back(report);
    report.stat.pod = PodName(report.stat.pod.text() + "-twin");
    halved.push_back(report);
  }
  RC_ASSERT(is_near(view_of(halved, window).total, view_of(reports, window).total));
}

RC_GTEST_PROP(WindowsProperty, LostSecondsInASteadyLoadDoNotMatter, ()) {
  const double load = *rc::gen::inRange(0, 1000) / 8.0;
  const Measure measure{Metric::kConcurrency, any_measure().aggregation};
  std::vector<Report> reports;
  int lost_in_a_row = 0;
  for (std::int64_t s = 0; s <= kNow; ++s) {
    const bool may_be_lost = s > 0 && lost_in_a_row < 2;
    lost_in_a_row = may_be_lost && *rc::gen::arbitrary<bool>() ? lost_in_a_row + 1 : 0;
    if (lost_in_a_row == 0) reports.push_back({s, StatDiary::stat("a", s, load)});
  }
  const WindowView seen = view_of(reports, any_window(), measure);
  RC_ASSERT(is_near(seen.total, load));
  RC_ASSERT(seen.pods == 1);
}

RC_GTEST_PROP(WindowsProperty, TheTotalLiesBetweenNothingAndThePeaksOfAllSources, ()) {
  const auto reports = any_reports();
  double max = 0;
  for (const Report& report : reports) max = std::max(max, report.stat.concurrency);
  const WindowView seen = view_of(reports, any_window());
  RC_ASSERT(seen.total >= 0);
  RC_ASSERT(seen.total <= 5 * max + 1e-9);
  RC_ASSERT(seen.known_seconds <= seen.covered_seconds);
}

RC_GTEST_PROP(WindowsProperty, RecordedOneByOneOrReplayedAtOnceIsTheSame, ()) {
  auto reports = any_reports();
  std::stable_sort(reports.begin(), reports.end(),
                   [](const Report& a, const Report& b) { return a.second < b.second; });
  const Measure measure = any_measure();
  RevisionWindows windows(60s, 6s, 3s);
  windows.measure_by(measure);
  StatDiary diary(windows);
  for (const Report& report : reports) {
    diary.record(report.stat, report.second);
    windows.average(Window::kPanic, StatDiary::at(report.second));
  }
  const Window window = any_window();
  RC_ASSERT(
      is_same(windows.average(window, StatDiary::at(kNow)), view_of(reports, window, measure)));
}

RC_GTEST_PROP(WindowsProperty, HowOftenTheyAreReadDoesNotMatter, ()) {
  const auto source_count = *rc::gen::inRange<std::int64_t>(1, 4);
  RevisionWindows often(10s, 3s);
  RevisionWindows seldom(10s, 3s);
  const TimePoint begin(24h);
  for (std::int64_t tenth = 0; tenth < 300; ++tenth) {
    const TimePoint now = begin + tenth * 100ms;
    for (std::int64_t i = 0; i < source_count; ++i) {
      // Each reports at its own tenth of a second, and loses a third of its reports.
      const bool is_due = tenth % 10 == 3 * i + 1;
      if (!is_due || *rc::gen::inRange(0, 3) == 0) continue;
      const Stat stat =
          StatDiary::stat("p" + std::to_string(i), tenth / 10, *rc::gen::inRange(0, 4000) / 64.0);
      often.record(stat, now);
      seldom.record(stat, now);
    }
    often.average(Window::kPanic, now);
  }
  const TimePoint now = begin + 30s + *rc::gen::inRange(0, 5000) * 1ms;
  for (const Window window : {Window::kStable, Window::kPanic}) {
    const WindowView seen = seldom.average(window, now);
    RC_ASSERT(is_same(often.average(window, now), seen));
    RC_ASSERT(often.average(window, now).knative_mean == seen.knative_mean);
  }
}

RC_GTEST_PROP(WindowsProperty, AMeasureChosenLaterIsAsIfItHadAlwaysBeen, ()) {
  const auto reports = any_reports();
  const Window window = any_window();
  const Measure measure = any_measure();
  RevisionWindows windows(60s, 6s, 3s);
  StatDiary diary(windows);
  for (const Report& report : reports) diary.record_late(report.stat, report.second, kNow);
  windows.measure_by(measure);
  RC_ASSERT(
      is_same(windows.average(window, StatDiary::at(kNow)), view_of(reports, window, measure)));
  RC_ASSERT(is_same(windows.concurrency(window, StatDiary::at(kNow)), view_of(reports, window)));
}

}  // namespace
}  // namespace bellows::metrics
