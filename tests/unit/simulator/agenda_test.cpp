#include "simulator/agenda.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <algorithm>

namespace bellows::simulator {
namespace {

TEST(Agenda, IsEmptyAtFirstAndThenNothingComesNext) {
  const Agenda<int> agenda;
  EXPECT_TRUE(agenda.empty());
  EXPECT_EQ(agenda.next(), TimePoint::max());
}

RC_GTEST_PROP(Agenda, HandsThingsOutInOrderOfTime, (const std::vector<std::uint16_t>& instants)) {
  Agenda<std::uint16_t> agenda;
  for (const std::uint16_t at : instants) agenda.add(TimePoint(Duration(at)), at);
  std::vector<std::uint16_t> sorted = instants;
  std::sort(sorted.begin(), sorted.end());
  for (const std::uint16_t at : sorted) {
    RC_ASSERT(agenda.next() == TimePoint(Duration(at)));
    RC_ASSERT(agenda.take() == at);
  }
  RC_ASSERT(agenda.empty());
}

}  // namespace
}  // namespace bellows::simulator
