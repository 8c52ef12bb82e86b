#include "base/quantity_text.hpp"

#include <gtest/gtest.h>

namespace bellows {
namespace {

TEST(CpuText, ReadsCoresAndMillicores) {
  EXPECT_EQ(parse_cpu("2")->value, 2000);
  EXPECT_EQ(parse_cpu("0.29")->value, 290);
  EXPECT_EQ(parse_cpu("250m")->value, 250);
  for (const char* text : {"", "m", "-1", "1.5m", "0.0001", "2 cores", "nan"}) {
    EXPECT_FALSE(parse_cpu(text).has_value()) << text;
  }
}

TEST(MemoryText, ReadsBinaryAndDecimalSuffixes) {
  EXPECT_EQ(parse_memory("64Mi")->value, 67108864);
  EXPECT_EQ(parse_memory("1.5Gi")->value, 1610612736);
  EXPECT_EQ(parse_memory("500M")->value, 500000000);
  EXPECT_EQ(parse_memory("1048576")->value, 1048576);
  for (const char* text : {"", "Mi", "-1Mi", "1.5", "64MB", "inf", "9999999Ti"}) {
    EXPECT_FALSE(parse_memory(text).has_value()) << text;
  }
}

TEST(MemoryText, PrintsExactTextAndTextForPeople) {
  EXPECT_EQ(to_string(mebibytes(64)), "64Mi");
  EXPECT_EQ(to_string(Bytes{1000001}), "1000001");
  EXPECT_EQ(rounded_text(Bytes{12'345'678}), "11.8Mi");
  EXPECT_EQ(rounded_text(mebibytes(16)), "16Mi") << "as it was given";
  EXPECT_EQ(rounded_text(mebibytes(1536)), "1536Mi");
  EXPECT_EQ(rounded_text(Bytes{500'000'000}), "500M");
  EXPECT_EQ(rounded_text(Bytes{1'000'000'000}), "1G");
  EXPECT_EQ(rounded_text(Bytes{123'456'789'012}), "115Gi");
  EXPECT_EQ(rounded_text(Bytes{0}), "0");
  EXPECT_EQ(rounded_text(Bytes{17}), "17");
}

}  // namespace
}  // namespace bellows
