#include "autoscaler/core/journal.hpp"

#include <gtest/gtest.h>

#include "tests/unit/autoscaler/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

Decision numbered(PodCount number) {
  Decision decision;
  decision.want = number;
  return decision;
}

TEST(JournalEmpty, HasNoLastDecision) {
  const Journal journal;
  EXPECT_EQ(journal.size(), 0U);
  EXPECT_FALSE(journal.last());
}

TEST(JournalFilling, KeepsWhatCameNewestFirst) {
  Journal journal;
  for (PodCount number = 1; number <= 3; ++number) journal.add(numbered(number), nullptr);
  ASSERT_EQ(journal.size(), 3U);
  EXPECT_EQ(journal.back(0).want, 3);
  EXPECT_EQ(journal.back(2).want, 1);
  EXPECT_EQ(journal.last()->want, 3);
}

TEST(JournalFull, DropsTheOldest) {
  Journal journal;
  for (PodCount number = 1; number <= 1000; ++number) journal.add(numbered(number), nullptr);
  ASSERT_EQ(journal.size(), Journal::kKept);
  EXPECT_EQ(journal.back(0).want, 1000);
  EXPECT_EQ(journal.back(Journal::kKept - 1).want, 969);
}

}  // namespace
}  // namespace bellows::autoscaler::test
