#include "autoscaler/core/journal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

/// A revision with a load of 10 a replica; `number` of them are asked for in second 2 * number.
class Diary {
 public:
  Diary() { journal_.start_from(story_.state()); }

  void decide(PodCount number, const ScalingSpec& spec = spec_with_target(10)) {
    const Observation seen = load(10.0 * number, 10.0 * number, number);
    taken_.push_back(story_.decide(spec, seen, at(2 * number)));
    journal_.add(taken_.back(), nullptr);
  }
  void decide_up_to(PodCount last) {
    for (PodCount number = 1; number <= last; ++number) decide(number);
  }

  const Journal& journal() const { return journal_; }
  const Decision& taken(std::size_t number) const { return taken_.at(number - 1); }

 private:
  Story story_{active_since(at(0))};
  Journal journal_;
  std::vector<Decision> taken_;
};

TEST(JournalEmpty, HasNoLastDecision) {
  const Journal journal;
  EXPECT_EQ(journal.size(), 0U);
  EXPECT_TRUE(journal.entries().empty());
  EXPECT_FALSE(journal.last());
  EXPECT_FALSE(journal.last_seen());
}

TEST(JournalFilling, KeepsWhatCameOldestFirst) {
  Diary diary;
  diary.decide_up_to(3);
  const auto entries = diary.journal().entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].decision, diary.taken(1));
  EXPECT_EQ(entries[2].decision, diary.taken(3));
  EXPECT_EQ(diary.journal().last(), diary.taken(3));
  EXPECT_EQ(*diary.journal().last_seen(), diary.taken(3).seen);
}

TEST(JournalFull, DropsTheOldest) {
  Diary diary;
  diary.decide_up_to(1000);
  const auto entries = diary.journal().entries();
  ASSERT_EQ(entries.size(), Journal::kKept);
  EXPECT_EQ(entries.back().decision, diary.taken(1000));
  EXPECT_EQ(entries.front().decision, diary.taken(969));
}

TEST(JournalFull, ShowsEachDecisionByTheSettingsItWasTakenWith) {
  // The target goes back and forth, so that places for settings are used again.
  Diary diary;
  for (PodCount number = 1; number <= 100; ++number) {
    diary.decide(number, spec_with_target(number % 7 == 0 ? 20 : 10 + number % 3));
  }
  const auto entries = diary.journal().entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].decision, diary.taken(100 - Journal::kKept + 1 + i)) << i;
  }
}

/// A revision that had its last request `ago` before second 0 and is decided every 2 s. Each
/// decision sees the load that `load_of` says.
template <class F>
void decide_idle(Journal& journal, Story& story, int count, F&& load_of,
                 std::vector<Decision>& taken) {
  for (int number = 0; number < count; ++number) {
    Observation seen = load_of(number);
    seen.idle_for = std::chrono::seconds(100 + 2 * number);
    taken.push_back(story.decide(spec_with_target(10), seen, at(2 * number)));
    journal.add(taken.back(), nullptr);
  }
}

void expect_kept(const Journal& journal, const std::vector<Decision>& taken) {
  const auto entries = journal.entries();
  ASSERT_EQ(entries.size(), std::min(Journal::kKept, taken.size()));
  for (std::size_t back = 1; back <= entries.size(); ++back) {
    EXPECT_EQ(entries[entries.size() - back].decision, taken[taken.size() - back]) << back;
  }
  EXPECT_EQ(journal.last(), taken.back());
  EXPECT_EQ(journal.last_seen(), taken.back().seen);
}

TEST(JournalOfARevisionWithoutRequests, ShowsHowLongTheLastRequestWasAgo) {
  Story story(active_since(at(0)));
  Journal journal;
  journal.start_from(story.state());
  std::vector<Decision> taken;
  decide_idle(
      journal, story, 100, [](int) { return load(0, 0, 0); }, taken);
  expect_kept(journal, taken);
}

TEST(JournalOfARevisionWithoutRequests, ShowsARequestInBetween) {
  Story story(active_since(at(0)));
  Journal journal;
  journal.start_from(story.state());
  std::vector<Decision> taken;
  const auto seldom = [](int number) { return number % 20 == 10 ? load(5, 5, 1) : load(0, 0, 0); };
  decide_idle(journal, story, 100, seldom, taken);
  expect_kept(journal, taken);
}

}  // namespace
}  // namespace bellows::autoscaler::test
