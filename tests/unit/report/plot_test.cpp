#include "report/plot.hpp"

#include <gtest/gtest.h>

namespace bellows::report {
namespace {

using namespace std::chrono_literals;

TEST(Plot, CarriesItsNumbersAsAPersonReadsThem) {
  Plot plot{.chart = {}, .names = {"usage"}};
  plot.chart.interval = 1min;
  plot.chart.unit = " GiB";
  plot.chart.curves = {{.css_class = "load", .values = {1.23456, 20}}};
  const std::string html = plot_html(plot);
  EXPECT_NE(
      html.find("{\"begin\":0,\"interval\":60,\"unit\":\" GiB\",\"left\":0.048,\"right\":0.992,"
                "\"curves\":[{\"name\":\"usage\",\"values\":[1.23,20]}]}"),
      std::string::npos)
      << html;
}

TEST(Plot, NamesCannotEndTheScriptTheyStandIn) {
  Plot plot{.chart = {}, .names = {"</script><b>"}};
  plot.chart.interval = 1min;
  plot.chart.curves = {{.css_class = "c0", .values = {1}}};
  const std::string html = plot_html(plot);
  EXPECT_NE(html.find("\"name\":\"\\u003c/script>\\u003cb>\""), std::string::npos) << html;
  EXPECT_EQ(html.find("</script>"), html.rfind("</script>"));
}

TEST(Plot, TellsOnlyTheCurvesThatHaveAName) {
  Plot plot{.chart = {}, .names = {}};
  plot.chart.interval = 1min;
  plot.chart.curves = {{.css_class = "c0", .values = {1}}};
  EXPECT_NE(plot_html(plot).find("\"curves\":[]"), std::string::npos);
}

TEST(Colour, BeginsAnewAfterEight) {
  EXPECT_EQ(colour(7), "c7");
  EXPECT_EQ(colour(8), "c0");
}

}  // namespace
}  // namespace bellows::report
