#include "simulator/event_queue.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <algorithm>

namespace bellows::simulator {
namespace {

TEST(EventQueue, IsEmptyInitiallyWithoutANextEvent) {
  const EventQueue<int> events;
  EXPECT_TRUE(events.empty());
  EXPECT_EQ(events.next(), TimePoint::max());
}

RC_GTEST_PROP(EventQueue, ReturnsEventsInTimeOrder, (const std::vector<std::uint16_t>& instants)) {
  EventQueue<std::uint16_t> events;
  for (const std::uint16_t at : instants) events.add(TimePoint(Duration(at)), at);
  std::vector<std::uint16_t> sorted = instants;
  std::sort(sorted.begin(), sorted.end());
  for (const std::uint16_t at : sorted) {
    RC_ASSERT(events.next() == TimePoint(Duration(at)));
    RC_ASSERT(events.take() == at);
  }
  RC_ASSERT(events.empty());
}

}  // namespace
}  // namespace bellows::simulator
