#include "metrics/source_history.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/start.hpp"

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;
using test::kStart;

Stat closed(std::uint64_t sequence) {
  Stat stat;
  stat.revision = RevisionId("web");
  stat.pod = PodName("web-1");
  stat.sequence = sequence;
  return stat;
}

/// One second closed at each whole second from 1 on.
SourceHistory history_of(std::uint64_t seconds, Duration window = 60s, std::size_t max = 1000) {
  SourceHistory history(window, max);
  for (std::uint64_t s = 1; s <= seconds; ++s) {
    history.add(closed(s), kStart + std::chrono::seconds(s));
  }
  return history;
}

std::vector<std::uint64_t> rest_of(SourceHistory& history, TimePoint now) {
  std::vector<std::uint64_t> sequences;
  while (const auto stat = history.next(now)) sequences.push_back(stat->sequence);
  return sequences;
}

TEST(SourceHistory, HandsOutEachSecondOnceAndInOrder) {
  SourceHistory history = history_of(3);
  EXPECT_EQ(rest_of(history, kStart + 3s), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(history.waiting(), 0U);
  history.add(closed(4), kStart + 4s);
  EXPECT_EQ(rest_of(history, kStart + 4s), (std::vector<std::uint64_t>{4}));
}

TEST(SourceHistory, TheAgeGrowsUntilASecondIsHandedOut) {
  SourceHistory history(60s, 10);
  Stat stat = closed(1);
  stat.age = 20ms;
  history.add(stat, kStart);
  EXPECT_EQ(history.next(kStart + 5s)->age, 5020ms);
}

TEST(SourceHistory, AReconnectRepeatsTheWindowWithItsTrueAges) {
  SourceHistory history = history_of(5, 3s);
  rest_of(history, kStart + 5s);
  history.replay();
  const TimePoint now = kStart + 6s;
  EXPECT_EQ(history.next(now)->age, 3s) << "second 3; the older ones left the window";
  EXPECT_EQ(rest_of(history, now), (std::vector<std::uint64_t>{4, 5}));
}

TEST(SourceHistory, ASlowPeerLosesTheOldestSecondsAndTheyAreCounted) {
  SourceHistory history = history_of(10, 4s);
  EXPECT_EQ(history.dropped(), 5U);
  EXPECT_EQ(rest_of(history, kStart + 11s), (std::vector<std::uint64_t>{7, 8, 9, 10}));
  EXPECT_EQ(history.dropped(), 6U);
}

TEST(SourceHistory, WhatWasHandedOutOnceIsNeverCountedAsDropped) {
  SourceHistory history = history_of(5, 4s);
  rest_of(history, kStart + 5s);
  history.replay();
  history.add(closed(6), kStart + 60s);
  EXPECT_EQ(history.kept(), 1U);
  EXPECT_EQ(history.dropped(), 0U);
}

TEST(SourceHistory, NeverKeepsMoreThanItsMaximum) {
  SourceHistory history = history_of(10, 60s, 4);
  EXPECT_EQ(history.kept(), 4U);
  EXPECT_EQ(history.dropped(), 6U);
  EXPECT_EQ(rest_of(history, kStart + 10s), (std::vector<std::uint64_t>{7, 8, 9, 10}));
}

TEST(SourceHistory, AFullHistoryThatLosesSentSecondsStillContinuesWhereItWas) {
  SourceHistory history = history_of(4, 60s, 4);
  history.next(kStart + 4s);
  history.next(kStart + 4s);
  history.add(closed(5), kStart + 5s);
  EXPECT_EQ(rest_of(history, kStart + 5s), (std::vector<std::uint64_t>{3, 4, 5}));
  EXPECT_EQ(history.dropped(), 0U);
}

}  // namespace
}  // namespace bellows::metrics
