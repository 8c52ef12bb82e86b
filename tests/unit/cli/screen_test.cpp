#include <gtest/gtest.h>

#include "cli/screen/chart.hpp"
#include "cli/screen/live_area.hpp"
#include "cli/screen/table.hpp"

namespace bellows::cli {
namespace {

using Lines = std::vector<std::string>;

TEST(TableOfReplicas, AlignsNumbersRightAndWordsLeft) {
  const Lines lines = table_lines({{"NAME"}, {"IN FLIGHT", Align::kRight}, {"STATE"}},
                                  {{"web-1", "3", "ready"}, {"web-10", "12", "draining"}});
  EXPECT_EQ(lines, (Lines{"NAME    IN FLIGHT  STATE", "web-1           3  ready",
                          "web-10         12  draining"}));
}

TEST(TableWithWordsOutsideAscii, CountsCellsNotBytes) {
  EXPECT_EQ(display_width("größe"), 5U);
  const Lines lines = table_lines({{"A"}, {"B"}}, {{"ü", "x"}, {"uu", "x"}});
  EXPECT_EQ(lines[1], "ü   x");
}

TEST(ChartOfARamp, GrowsInEighthsFromBelow) {
  EXPECT_EQ(block_chart({0, 4, 8}, 3, 1, 8), (Lines{" ▄█"}));
  EXPECT_EQ(block_chart({0, 8, 16}, 3, 2, 16), (Lines{"  █", " ██"}));
}

TEST(ChartOfASmallValue, IsNeverInvisible) {
  EXPECT_EQ(block_chart({0.001}, 1, 1, 1000), (Lines{"▁"}));
}

TEST(ChartWithMoreValuesThanCells, ShowsTheNewest) {
  EXPECT_EQ(block_chart({8, 0, 8}, 2, 1, 8), (Lines{" █"}));
  EXPECT_EQ(block_chart({8}, 3, 1, 8), (Lines{"  █"}));
}

TEST(ChartScale, EndsAtARoundNumber) {
  EXPECT_EQ(nice_ceiling(0), 1);
  EXPECT_EQ(nice_ceiling(7), 10);
  EXPECT_EQ(nice_ceiling(10), 10);
  EXPECT_EQ(nice_ceiling(312), 500);
}

TEST(LineThatIsTooWide, IsCutAtACellAndKeepsItsColours) {
  EXPECT_EQ(cut_to_width("größer", 3), "grö");
  EXPECT_EQ(cut_to_width("\x1b[31mred\x1b[0m", 2), "\x1b[31mre");
}

}  // namespace
}  // namespace bellows::cli
