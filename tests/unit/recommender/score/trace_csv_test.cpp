#include "recommender/score/trace_csv.hpp"

#include <gtest/gtest.h>

namespace bellows::recommender::score {
namespace {

using namespace std::chrono_literals;

TEST(TraceCsv, MakesOneWorkloadPerContainer) {
  const auto read = read_trace("t.csv",
                               "seconds,container,cpu_cores,memory_bytes\n"
                               "100,web,0.5,1000\n"
                               "100,db,2,5000\n"
                               "160,web,0.25,2000\n"
                               "280,web,1,3000\n");
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->size(), 2U);
  const Workload& web = read->front();
  EXPECT_EQ(web.name, "t.csv:web");
  EXPECT_EQ(web.step, 60s);
  EXPECT_EQ(web.by_time, (std::vector<Demand>{{0.5, 1000}, {0.25, 2000}, {0.25, 2000}, {1, 3000}}))
      << "a line holds until the next";
  EXPECT_EQ(web.first, (Request{Millicores{1000}, Bytes{2000}})) << "twice the first line";
  EXPECT_EQ(read->at(1).by_time, (std::vector<Demand>{{2, 5000}}));
}

std::string error_of(std::string_view text) {
  const auto read = read_trace("t.csv", text);
  return read ? "no error" : to_string(read.error());
}

TEST(TraceCsv, ABadLineIsNamedWithFileLineColumnValueAndWhatIsValid) {
  EXPECT_EQ(error_of("1,web,0.5,1000\n2,web,lots,1000\n"),
            "t.csv:2: cpu_cores: \"lots\": want a number from 0 to 100000");
  EXPECT_EQ(error_of("1,web,0.5,-1\n"),
            "t.csv:1: memory_bytes: \"-1\": want a number from 0 to "
            "100000000000000");
  EXPECT_EQ(error_of("1,web,0.5\n"),
            "t.csv:1: columns: \"3 of them\": want 4: seconds,container,cpu_cores,memory_bytes");
  EXPECT_EQ(error_of("1,,0.5,1000\n"), "t.csv:1: container: \"\": want a name");
  EXPECT_EQ(error_of("soon,web,0.5,1000\n"),
            "t.csv:1: seconds: \"soon\": want seconds, such as "
            "0.078");
  EXPECT_EQ(error_of("5,web,0.5,1000\n5,web,0.5,1000\n"),
            "t.csv:2: seconds: \"5\": want more than the line before of container web");
}

TEST(TraceCsv, AnEmptyFileIsAnError) {
  EXPECT_EQ(error_of("seconds,container,cpu_cores,memory_bytes\n"),
            "t.csv: no line in it: want at least one seconds,container,cpu_cores,memory_bytes");
}

TEST(TraceCsv, ATraceThatWouldNotFitIntoMemoryIsRefused) {
  EXPECT_EQ(error_of("0,web,1,1\n1,web,1,1\n90000000,web,1,1\n"),
            "t.csv: container web: 25000h in steps of 1s: want at most 5000000 steps");
}

}  // namespace
}  // namespace bellows::recommender::score
