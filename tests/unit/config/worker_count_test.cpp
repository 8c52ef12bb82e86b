#include "config/worker_count.hpp"

#include <gtest/gtest.h>

namespace bellows::config {
namespace {

TEST(WorkerCount, IsWhatTheTextSays) {
  EXPECT_EQ(worker_count("1", 8), 1U);
  EXPECT_EQ(worker_count("6", 2), 6U);
}

TEST(WorkerCount, IsThatOfTheProcessorsIfItIsAuto) {
  EXPECT_EQ(worker_count("auto", 8), 8U);
  EXPECT_EQ(worker_count("auto", 0), 1U);
  EXPECT_EQ(worker_count("auto", 256), 64U);
}

TEST(WorkerCount, TakesAutoAndSmallNumbersAlone) {
  const TextFormat format = workers_format();
  for (const char* const right : {"auto", "1", "64"}) EXPECT_EQ(format.read(right), right);
  for (const char* const wrong : {"", "0", "65", "01", "-1", "+2", "2.5", "Auto", "2 "}) {
    EXPECT_EQ(format.read(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace bellows::config
