#include "metrics/meter.hpp"

#include <gtest/gtest.h>

#include "tests/support/start.hpp"

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;
using test::kStart;

TEST(MeterDiary, TwoRequestsOneAfterTheOtherAreOneInFlight) {
  // knative.md case 97 without its report at the first request.
  ConcurrencyMeter meter(kStart);
  meter.enter(kStart);
  meter.leave(kStart + 1ms);
  meter.enter(kStart + 1ms);
  meter.leave(kStart + 2ms);
  EXPECT_EQ(meter.close_second(kStart + 2ms), (MeterReading{1, 1, 2}));
}

TEST(MeterDiary, RequestsThatStayCountInTheNextSecondToo) {
  // knative.md case 98 likewise.
  ConcurrencyMeter meter(kStart);
  meter.enter(kStart);
  meter.enter(kStart);
  EXPECT_EQ(meter.close_second(kStart + 1ms), (MeterReading{2, 2, 2}));
  EXPECT_EQ(meter.close_second(kStart + 2ms), (MeterReading{2, 2, 0}));
}

TEST(MeterDiary, TwoHalfSecondsSideBySideAreAMeanOfOneAndAPeakOfTwo) {
  ConcurrencyMeter meter(kStart);
  meter.enter(kStart + 100ms);
  meter.enter(kStart + 100ms);
  meter.leave(kStart + 600ms);
  meter.leave(kStart + 600ms);
  EXPECT_EQ(meter.close_second(kStart + 1s), (MeterReading{1, 2, 2}));
}

TEST(MeterDiary, AnIdleSecondIsZero) {
  ConcurrencyMeter meter(kStart);
  EXPECT_EQ(meter.close_second(kStart + 1s), MeterReading{});
}

TEST(MeterDiary, ABurstShowsInThePeakEvenWhereTheMeanHidesIt) {
  ConcurrencyMeter meter(kStart);
  for (int i = 0; i < 100; ++i) meter.enter(kStart + 500ms);
  for (int i = 0; i < 100; ++i) meter.leave(kStart + 510ms);
  EXPECT_EQ(meter.close_second(kStart + 1s), (MeterReading{1, 100, 100}));
}

TEST(MeterDiary, ThePeakOfAQuietSecondIsTheLevelItBeganWith) {
  ConcurrencyMeter meter(kStart);
  meter.enter(kStart);
  meter.enter(kStart);
  meter.close_second(kStart + 1s);
  meter.leave(kStart + 1s);
  EXPECT_EQ(meter.close_second(kStart + 2s), (MeterReading{1, 2, 0}));
}

TEST(MeterDiary, ARequestThatIsServedElsewhereIsLoadWhileItWaitsAndNoRequest) {
  ConcurrencyMeter meter(kStart);
  meter.enter(kStart);
  meter.enter(kStart + 250ms);
  meter.withdraw(kStart + 750ms);
  EXPECT_EQ(meter.close_second(kStart + 1s), (MeterReading{1.5, 2, 1}));
  meter.withdraw(kStart + 1s);
  EXPECT_EQ(meter.close_second(kStart + 2s), (MeterReading{0, 1, 0})) << "it was counted before";
}

TEST(MeterOddInstants, AnEarlierInstantAddsNoTimeButTheRequestCounts) {
  ConcurrencyMeter meter(kStart);
  meter.enter(kStart + 500ms);
  meter.enter(kStart + 200ms);
  EXPECT_EQ(meter.close_second(kStart + 1s), (MeterReading{1, 2, 2}));
}

TEST(MeterOddInstants, ALateSecondIsDividedByTheTimeThatReallyPassed) {
  ConcurrencyMeter meter(kStart);
  meter.enter(kStart + 1s);
  EXPECT_EQ(meter.close_second(kStart + 4s), (MeterReading{0.75, 1, 1}));
}

TEST(MeterOddInstants, NoTimeBetweenTwoClosesGivesTheLevel) {
  ConcurrencyMeter meter(kStart);
  meter.enter(kStart);
  meter.close_second(kStart + 1s);
  EXPECT_EQ(meter.close_second(kStart + 1s), (MeterReading{1, 1, 0}));
}

TEST(MeterDeathTest, ALeaveWithoutAnEnterIsOurDefect) {
  ConcurrencyMeter meter(kStart);
  EXPECT_DEATH(meter.leave(kStart), "a request leaves once");
}

TEST(SecondEnd, FollowsTheOneBeforeWhateverClosingItTook) {
  const TimePoint first{std::chrono::hours(24)};
  EXPECT_EQ(next_second_end(first, first), first + std::chrono::seconds(1));
  EXPECT_EQ(next_second_end(first, first + std::chrono::milliseconds(300)),
            first + std::chrono::seconds(1));
}

TEST(SecondEnd, AfterAnHourInWhichTheProcessStoodStillIsOneAndNot3600InARow) {
  TimePoint now{std::chrono::hours(24)};
  TimePoint end = now;
  now += std::chrono::hours(1);
  int closed = 0;
  for (end = next_second_end(end, now); end <= now; end = next_second_end(end, now)) ++closed;
  EXPECT_EQ(closed, 0);
  EXPECT_EQ(end, now + std::chrono::seconds(1));
}

}  // namespace
}  // namespace bellows::metrics
