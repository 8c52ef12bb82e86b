#include "base/printable_text.hpp"

#include <gtest/gtest.h>

#include "base/rate_limit.hpp"

namespace bellows {
namespace {

using namespace std::chrono_literals;

TEST(Printable, WritesWhatATerminalObeysAsCodes) {
  EXPECT_EQ(printable("FATAL: \x1b[31mred\x1b[0m\r\n"), "FATAL: \\x1b[31mred\\x1b[0m\\x0d\\x0a");
  EXPECT_EQ(printable("a\tb\x7f"), "a\\x09b\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");  // CSI as one character
  EXPECT_EQ(printable("\x9b\xff"), "\\x9b\\xff");
}

TEST(Printable, LeavesTextOfEveryLanguage) {
  EXPECT_EQ(printable("Größe: 語 \xc2\xa0"), "Größe: 語 \xc2\xa0");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, IsBounded) {
  EXPECT_EQ(printable("0123456789", 10), "0123456789");
  EXPECT_EQ(printable("0123456789a", 10), "0123456...");
  EXPECT_LE(printable(std::string(5000, '\x1b'), 100).size(), 100U);
}

TEST(RateLimit, AllowsABurstAndThenOneInEachInterval) {
  const TimePoint start{1h};
  RateLimit limit(2, 100ms);
  EXPECT_TRUE(limit.allow(start));
  EXPECT_TRUE(limit.allow(start));
  EXPECT_FALSE(limit.allow(start));
  EXPECT_FALSE(limit.allow(start + 99ms));
  EXPECT_TRUE(limit.allow(start + 100ms));
  EXPECT_FALSE(limit.allow(start + 150ms));
  EXPECT_EQ(limit.take_refused(), 3U);
  EXPECT_EQ(limit.take_refused(), 0U);
  EXPECT_TRUE(limit.allow(start + 1h));
  EXPECT_TRUE(limit.allow(start + 1h));
  EXPECT_FALSE(limit.allow(start + 1h));  // what was not used is not saved beyond the burst
}

}  // namespace
}  // namespace bellows
