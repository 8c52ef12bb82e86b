#include "report/svg_chart.hpp"

#include <gtest/gtest.h>

namespace bellows::report {
namespace {

using namespace std::chrono_literals;

TEST(RoundStep, GivesAFewRoundNumbersOnTheUprightAxis) {
  EXPECT_EQ(round_step(60.0), 20);
  EXPECT_EQ(round_step(5.0), 1);
  EXPECT_EQ(round_step(23.0), 5);
  EXPECT_EQ(round_step(0.3), 0.1);
}

TEST(RoundStep, GivesAtMostADozenRoundDurations) {
  EXPECT_EQ(round_step(Duration(10s)), 1s);
  EXPECT_EQ(round_step(Duration(1h)), 5min);
  EXPECT_EQ(round_step(Duration(24h)), 2h);
  EXPECT_EQ(round_step(Duration(24h * 60)), 24h * 5);
}

TEST(ClockText, NamesTheDayOnlyBehindTheFirst) {
  EXPECT_EQ(clock_text(15h + 30min, false), "15:30");
  EXPECT_EQ(clock_text(26h + 5s, true), "1d 02:00:05");
}

Chart two_stretches() {
  Chart chart;
  chart.width = 156;  // 100 between the margins
  chart.height = 132;
  chart.max = 10;
  chart.interval = 1min;
  chart.curves.push_back({.css_class = "c0", .values = {0, 10}});
  return chart;
}

TEST(Svg, DrawsACurveAsSteps) {
  EXPECT_NE(svg(two_stretches()).find("<path class=\"c0 line\" d=\"M48 110H98V10H148\"/>"),
            std::string::npos)
      << svg(two_stretches());
}

TEST(Svg, AnAreaGoesBackToZero) {
  Chart chart = two_stretches();
  chart.curves[0].is_filled = true;
  EXPECT_NE(svg(chart).find("d=\"M48 110V110H98V10H148V110Z\""), std::string::npos) << svg(chart);
}

TEST(Svg, NumbersOfTheUprightAxisTellItsLinesApart) {
  Chart chart = two_stretches();
  chart.max = 0.06;
  chart.unit = "s";
  for (const char* label : {">0s<", ">0.02s<", ">0.04s<", ">0.06s<"}) {
    EXPECT_NE(svg(chart).find(label), std::string::npos) << label << " in " << svg(chart);
  }
}

TEST(Svg, MarksAStretchAcrossTheWholeHeight) {
  Chart chart = two_stretches();
  chart.is_marked = {false, true};
  EXPECT_NE(
      svg(chart).find("<rect class=\"panic\" x=\"98\" y=\"10\" width=\"50\" height=\"100\"/>"),
      std::string::npos)
      << svg(chart);
}

TEST(Svg, CrossesAStretchAtTheTop) {
  Chart chart = two_stretches();
  chart.marks = {1};
  chart.mark_class = "c1";
  EXPECT_NE(svg(chart).find("<path class=\"mark c1\" d=\"M119.5 6.5l7 7m0-7l-7 7\"/>"),
            std::string::npos)
      << svg(chart);
}

TEST(Svg, WithoutValuesItIsAnEmptyFrame) {
  Chart chart = two_stretches();
  chart.curves.clear();
  EXPECT_EQ(svg(chart).find("<path"), std::string::npos);
}

TEST(HtmlEscaped, LeavesNothingThatABrowserWouldTakeForATag) {
  EXPECT_EQ(html_escaped("<b>\"a&b\""), "&lt;b&gt;&quot;a&amp;b&quot;");
}

}  // namespace
}  // namespace bellows::report
