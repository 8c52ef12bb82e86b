#include "activator/core/reachability.hpp"

#include <gtest/gtest.h>

namespace bellows::activator {
namespace {

using std::chrono::seconds;

constexpr ProbeResult kNothing = ProbeResult::kUnreachable;

TEST(Reachability, IsLostAfterTenSecondsWithoutAnAnswer) {
  Reachability web;
  const TimePoint start = TimePoint(seconds(100));
  web.note_probe(kNothing, true, start);
  web.note_probe(kNothing, true, start + seconds(9));
  EXPECT_FALSE(web.is_unreachable(start + seconds(9)));
  web.note_probe(kNothing, true, start + seconds(10));
  EXPECT_TRUE(web.is_unreachable(start + seconds(10)));
  EXPECT_TRUE(web.take_news(start + seconds(10)));
  EXPECT_FALSE(web.take_news(start + seconds(11))) << "it was told";
}

TEST(Reachability, IsThereWhereAQueueProxyAnswersThatItsAppIsNotReady) {
  Reachability web;
  const TimePoint start = TimePoint(seconds(100));
  web.note_probe(kNothing, true, start);
  web.note_probe(ProbeResult::kNotReady, true, start + seconds(5));
  web.note_probe(kNothing, true, start + seconds(6));
  EXPECT_FALSE(web.is_unreachable(start + seconds(12)));
}

TEST(Reachability, IsThereWhileAnotherReplicaTakesRequests) {
  Reachability web;
  const TimePoint start = TimePoint(seconds(100));
  web.note_probe(kNothing, true, start);
  web.note_probe(kNothing, false, start + seconds(20));
  EXPECT_FALSE(web.is_unreachable(start + seconds(20)));
}

TEST(Reachability, IsToldAgainWhenItIsLostAgain) {
  Reachability web;
  const TimePoint start = TimePoint(seconds(100));
  web.note_probe(kNothing, true, start);
  EXPECT_TRUE(web.take_news(start + seconds(10)));
  web.note_reached();
  EXPECT_FALSE(web.is_unreachable(start + seconds(11)));
  web.note_probe(kNothing, true, start + seconds(11));
  EXPECT_TRUE(web.take_news(start + seconds(21)));
}

}  // namespace
}  // namespace bellows::activator
