#include "metrics/scrape.hpp"

#include <gtest/gtest.h>

#include "tests/support/start.hpp"

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;
using test::kStart;

void report(Scrape& scrape, const char* source, double load, TimePoint at) {
  scrape.record(PodName(source), {.concurrency = load, .requests = 2 * load}, at);
}

TEST(Scrape, CountsEachSourceOnceASecondWhateverInstantItReportsAt) {
  Scrape scrape;
  EXPECT_FALSE(scrape.take(kStart));
  // "b" reports twice within this second and not in the next.
  report(scrape, "a", 3, kStart + 500ms);
  report(scrape, "b", 4, kStart + 10ms);
  report(scrape, "b", 5, kStart + 990ms);
  const auto first = scrape.take(kStart + 1100ms);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->at, kStart);
  EXPECT_EQ(first->amounts.concurrency, 8);
  EXPECT_EQ(first->amounts.requests, 16);
  report(scrape, "a", 3, kStart + 1500ms);
  EXPECT_FALSE(scrape.take(kStart + 1900ms)) << "a second is told once";
  EXPECT_EQ(scrape.take(kStart + 2s)->amounts.concurrency, 8);
}

TEST(Scrape, ASourceThatStoppedReportingIsNotFound) {
  Scrape scrape;
  scrape.take(kStart);
  report(scrape, "a", 3, kStart + 400ms);
  report(scrape, "b", 4, kStart + 900ms);
  EXPECT_EQ(scrape.take(kStart + 1s)->amounts.concurrency, 7);
  EXPECT_EQ(scrape.take(kStart + 2s)->amounts.concurrency, 4);
  EXPECT_FALSE(scrape.take(kStart + 3s));
}

TEST(Scrape, SecondsWithoutAReadAreMissing) {
  Scrape scrape;
  scrape.take(kStart);
  EXPECT_FALSE(scrape.take(kStart + 5s));
  report(scrape, "a", 3, kStart + 5s);
  EXPECT_EQ(scrape.take(kStart + 6s)->at, kStart + 5s);
}

TEST(Scrape, SecondsThatPassedUnseenAreSummedOneByOne) {
  Scrape scrape;
  scrape.take(kStart);
  report(scrape, "a", 3, kStart + 200ms);
  report(scrape, "b", 4, kStart + 700ms);
  const auto first = scrape.take(kStart + 9s);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->at, kStart);
  EXPECT_EQ(first->amounts.concurrency, 7);
  const auto second = scrape.take(kStart + 9s);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->at, kStart + 1s);
  EXPECT_EQ(second->amounts.concurrency, 4) << "a is older than a second and a half";
  EXPECT_FALSE(scrape.take(kStart + 9s));
  report(scrape, "a", 5, kStart + 9200ms);
  EXPECT_EQ(scrape.take(kStart + 10s)->at, kStart + 9s);
}

TEST(Scrape, AnOlderReportDoesNotReplaceANewerOne) {
  Scrape scrape;
  scrape.take(kStart);
  report(scrape, "a", 3, kStart + 800ms);
  report(scrape, "a", 9, kStart + 100ms);
  EXPECT_EQ(scrape.take(kStart + 1s)->amounts.concurrency, 3);
}

}  // namespace
}  // namespace bellows::metrics
