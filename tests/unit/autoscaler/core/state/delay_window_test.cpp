#include "autoscaler/core/state/delay_window.hpp"

#include <gtest/gtest.h>
// After gtest: its macros build on gtest's.
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

TEST(DelayWindow, IsEmptyBeforeTheFirstRecord) {
  EXPECT_EQ(DelayWindow().max(at(0), seconds(60)), 0);
}

// knative.md 7.3, cases 60, 61 and 63: one number per slot, five slots.
TEST(DelayWindow, HoldsTheGreatestOfItsSlots) {
  const std::vector<std::pair<std::vector<PodCount>, std::vector<PodCount>>> series = {
      {{5, 6, 5, 5, 5, 5, 5}, {5, 6, 6, 6, 6, 6, 5}},
      {{5, 8, 5, 7, 5, 5, 1, 4, 4, 4, 4, 9, 3, 4, 2, 1, 0},
       {5, 8, 8, 8, 8, 8, 7, 7, 5, 5, 4, 9, 9, 9, 9, 9, 4}}};
  for (const auto& [records, greatest] : series) {
    DelayWindow window;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const TimePoint now = at(2 * static_cast<std::int64_t>(i));
      window.record(now, records[i], seconds(10));
      EXPECT_EQ(window.max(now, seconds(10)), greatest[i]) << i;
    }
  }
  DelayWindow one_slot;
  for (PodCount pods = 7; pods > 0; --pods) {
    one_slot.record(at(0), pods, seconds(10));
    EXPECT_EQ(one_slot.max(at(0), seconds(10)), 7);
  }
}

TEST(DelayWindow, FollowsAChangedDelay) {
  DelayWindow window;
  window.record(at(0), 9, seconds(60));
  window.record(at(20), 3, seconds(60));
  EXPECT_EQ(window.max(at(20), seconds(60)), 9);
  EXPECT_EQ(window.max(at(20), seconds(10)), 3);
  EXPECT_EQ(window.max(at(20), seconds(3600)), 9);
}

TEST(DelayWindow, KeepsNoMoreThanItsSlotsOverAnHour) {
  DelayWindow window;
  for (int second = 0; second < 3 * 3600; second += 2) {
    window.record(at(second), 1'000'000 - second, seconds(3600));
  }
  EXPECT_EQ(window.entries().size(), 1800U);
}

TEST(DelayWindow, KeepsOneEntryForASteadyLoad) {
  DelayWindow window;
  for (int second = 0; second < 3600; second += 2) window.record(at(second), 8, seconds(3600));
  EXPECT_EQ(window.entries().size(), 1U);
}

RC_GTEST_PROP(DelayWindow, IsTheMaximumOverItsSlots, ()) {
  const Duration delay = seconds(*rc::gen::inRange(1, 40));
  const auto slots = static_cast<std::int32_t>((delay + seconds(1)) / seconds(2));
  std::vector<DelayWindow::Entry> all;
  DelayWindow window;
  TimePoint now = at(0);
  const int length = *rc::gen::inRange(1, 60);
  for (int i = 0; i < length; ++i) {
    now += std::chrono::milliseconds(*rc::gen::inRange(0, 9000));
    all.push_back({DelayWindow::slot_of(now), *rc::gen::inRange(0, 20)});
    window.record(now, all.back().pods, delay);
    PodCount greatest = 0;
    for (const DelayWindow::Entry& entry : all) {
      if (DelayWindow::slot_of(now) - entry.slot < slots) greatest = std::max(greatest, entry.pods);
    }
    RC_ASSERT(window.max(now, delay) == greatest);
  }
}

RC_GTEST_PROP(DelayWindow, ContinuesFromItsEntriesAsBefore, ()) {
  DelayWindow window;
  int second = 0;
  for (const PodCount pods : *rc::gen::container<std::vector<PodCount>>(rc::gen::inRange(0, 9))) {
    window.record(at(second += 2), pods, seconds(20));
  }
  DelayWindow restored;
  restored.restore(window.entries());
  for (; second < 200; second += 2) {
    RC_ASSERT(restored.max(at(second), seconds(20)) == window.max(at(second), seconds(20)));
  }
}

}  // namespace
}  // namespace bellows::autoscaler::test
