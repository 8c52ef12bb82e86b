#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "cli/screen/chart.hpp"
#include "cli/screen/live_area.hpp"
#include "report/text_table.hpp"

namespace bellows::cli {
namespace {

using Lines = std::vector<std::string>;

TEST(TableOfReplicas, AlignsNumbersRightAndTextLeft) {
  const Lines lines =
      report::table_lines({{"NAME"}, {"IN FLIGHT", report::Align::kRight}, {"STATE"}},
                          {{"web-1", "3", "ready"}, {"web-10", "12", "draining"}});
  EXPECT_EQ(lines, (Lines{"NAME    IN FLIGHT  STATE", "web-1           3  ready",
                          "web-10         12  draining"}));
}

TEST(TableWithWordsOutsideAscii, CountsCellsNotBytes) {
  EXPECT_EQ(report::display_width("größe"), 5U);
  const Lines lines = report::table_lines({{"A"}, {"B"}}, {{"ü", "x"}, {"uu", "x"}});
  EXPECT_EQ(lines[1], "ü   x");
}

TEST(ChartOfARamp, GrowsInEighthsFromBelow) {
  EXPECT_EQ(block_chart({0, 4, 8}, 3, 1, 8), (Lines{" ▄█"}));
  EXPECT_EQ(block_chart({0, 8, 16}, 3, 2, 16), (Lines{"  █", " ██"}));
}

TEST(ChartOfASmallValue, IsVisible) {
  EXPECT_EQ(block_chart({0.001}, 1, 1, 1000), (Lines{"▁"}));
}

TEST(ChartWithMoreValuesThanCells, ShowsTheLatest) {
  EXPECT_EQ(block_chart({8, 0, 8}, 2, 1, 8), (Lines{" █"}));
  EXPECT_EQ(block_chart({8}, 3, 1, 8), (Lines{"  █"}));
}

TEST(ChartScale, EndsAtARoundNumber) {
  EXPECT_EQ(nice_ceiling(0), 1);
  EXPECT_EQ(nice_ceiling(7), 10);
  EXPECT_EQ(nice_ceiling(10), 10);
  EXPECT_EQ(nice_ceiling(312), 500);
}

TEST(LineThatIsTooWide, IsTruncatedAtACellAndKeepsItsColours) {
  EXPECT_EQ(truncate_to_width("größer", 3), "grö");
  EXPECT_EQ(truncate_to_width("\x1b[31mred\x1b[0m", 2), "\x1b[31mre");
}

/// A pipe instead of a terminal.
class PausedTerminalTest : public testing::Test {
 protected:
  PausedTerminalTest() { EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK), 0); }
  ~PausedTerminalTest() override {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }

  std::string shown() {
    std::string read;
    std::array<char, 4096> bytes{};
    for (ssize_t got = 0; (got = ::read(ends_[0], bytes.data(), bytes.size())) > 0;) {
      read.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return read;
  }

  std::array<int, 2> ends_{};
};

TEST_F(PausedTerminalTest, DoesNotBlockAndShowsTheNumberOfDroppedLinesAfterItResumes) {
  LiveArea area({.is_interactive = true}, ends_[1]);
  area.draw({"web  1 replica"});
  EXPECT_EQ(shown(), "web  1 replica");

  constexpr int kLines = 200;  // of 1 KiB: the pipe holds 64, the backlog 64
  const std::string line(1000, '.');
  for (int i = 0; i < kLines; ++i) area.print_above(line);
  for (int i = 0; i < 1000; ++i) area.draw({"web  " + std::to_string(i) + " replicas"});

  std::string all = shown();
  for (int i = 0; i < 3; ++i) {
    area.draw({"web  2 replicas"});
    all += shown();
  }
  EXPECT_TRUE(all.ends_with("web  2 replicas"));
  EXPECT_EQ(all.find("1000 replicas"), std::string::npos);
  std::size_t printed = 0;
  for (std::size_t at = 0; (at = all.find(line, at)) != std::string::npos; at += line.size()) {
    ++printed;
  }
  const std::string dropped = std::to_string(kLines - printed) + " log lines dropped";
  EXPECT_NE(all.find(dropped), std::string::npos) << dropped;
  EXPECT_LT(printed, kLines);
  EXPECT_GT(printed, 100);
}

}  // namespace
}  // namespace bellows::cli
