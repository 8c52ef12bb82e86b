#include "cluster/local/output_tail.hpp"

#include <gtest/gtest.h>

namespace bellows::test {
namespace {

using cluster::OutputTail;

const PodName kFirst("web-1");

TEST(OutputTailTest, LinesAreNumberedFromOneOn) {
  OutputTail tail;
  EXPECT_EQ(tail.last_number(), 0U);
  tail.add(WallTime(std::chrono::seconds(5)), kFirst, false, "listening");
  tail.add(WallTime(std::chrono::seconds(6)), PodName("web-2"), true, "oh no");
  ASSERT_EQ(tail.lines().size(), 2U);
  EXPECT_EQ(tail.lines().front().number, 1U);
  EXPECT_EQ(tail.lines().back().text, "oh no");
  EXPECT_EQ(tail.lines().back().replica, PodName("web-2"));
  EXPECT_TRUE(tail.lines().back().is_error);
  EXPECT_EQ(tail.last_number(), 2U);
}

TEST(OutputTailTest, TheOldestLinesGoWhenThereAreTooManyBytes) {
  OutputTail tail;
  const std::string line(1000, 'x');
  for (int i = 0; i < 1000; ++i) tail.add(WallTime(), kFirst, false, line);
  const std::size_t room = OutputTail::kMaxBytes / (line.size() + OutputTail::kOverhead);
  EXPECT_EQ(tail.lines().size(), room);
  EXPECT_EQ(tail.lines().back().number, 1000U);
  EXPECT_EQ(tail.lines().front().number, 1000U - room + 1);
}

TEST(OutputTailTest, EmptyLinesCostMemoryTooAndAreBounded) {
  OutputTail tail;
  for (int i = 0; i < 100'000; ++i) tail.add(WallTime(), kFirst, false, "");
  EXPECT_LE(tail.lines().size() * OutputTail::kOverhead, OutputTail::kMaxBytes);
}

}  // namespace
}  // namespace bellows::test
