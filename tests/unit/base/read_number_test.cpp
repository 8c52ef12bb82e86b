#include "base/read_number.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace bellows {
namespace {

TEST(ReadNumber, IsTheWholeText) {
  EXPECT_EQ(read_number<int>("42"), 42);
  EXPECT_EQ(read_number<int>("-7"), -7);
  EXPECT_EQ(read_number<std::uint16_t>("1F90", 16), 8080);
  for (const char* const none : {"", " 1", "1 ", "+1", "1.5", "x", "0x10"}) {
    EXPECT_EQ(read_number<int>(none), std::nullopt) << none;
  }
}

TEST(ReadNumber, FitsItsType) {
  EXPECT_EQ(read_number<std::uint16_t>("65535"), 65535);
  EXPECT_EQ(read_number<std::uint16_t>("65536"), std::nullopt);
  EXPECT_EQ(read_number<std::uint16_t>("-1"), std::nullopt);
}

}  // namespace
}  // namespace bellows
