#include "simulator/distribution.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

TEST(NormalQuantile, MatchesTheTableOfStatisticsBooks) {
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-12);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963985, 1e-8);
  EXPECT_NEAR(normal_quantile(0.001), -3.090232306, 1e-8);
  EXPECT_NEAR(normal_quantile(1e-12), -7.034483825, 1e-8);
}

struct Case {
  const char* text;
  Duration median;
  Duration mean;
  Duration longest;
};

class EachDistribution : public testing::TestWithParam<Case> {};

TEST_P(EachDistribution, HasItsMedianMeanAndEnd) {
  const auto read = parse_distribution("start", GetParam().text);
  ASSERT_TRUE(read);
  const auto near = [](Duration a, Duration b) {
    EXPECT_NEAR(to_seconds(a), to_seconds(b), 1e-6 + 1e-3 * to_seconds(b));
  };
  near(read->at(0.5), GetParam().median);
  near(read->mean(), GetParam().mean);
  near(read->longest(), GetParam().longest);
}

TEST_P(EachDistribution, IsDrawnWithItsMean) {
  const auto read = parse_distribution("start", GetParam().text);
  SeededRandom random(7);
  double sum = 0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) sum += to_seconds(read->draw(random));
  EXPECT_NEAR(sum / kDraws, to_seconds(read->mean()), 0.03 * to_seconds(read->mean()));
}

TEST_P(EachDistribution, ReadsBackWhatItPrints) {
  const auto read = parse_distribution("start", GetParam().text);
  EXPECT_EQ(*parse_distribution("start", to_string(*read)), *read);
}

INSTANTIATE_TEST_SUITE_P(All, EachDistribution,
                         testing::Values(Case{"2s", 2s, 2s, 2s}, Case{"fixed(2s)", 2s, 2s, 2s},
                                         Case{"uniform(1s,3s)", 2s, 2s, 3s},
                                         // ln 2, and -ln 0.001
                                         Case{"exponential(1s)", 693ms, 1s, 6908ms},
                                         // e^(0.3^2 / 2) and e^(0.3 * 3.0902)
                                         Case{"lognormal(20s,0.3)", 20s, 20921ms, 50537ms}));

TEST(Distribution, IsLinearBetweenPercentiles) {
  const Distribution curve = Distribution::percentiles({{.share = 0, .duration = 0s},
                                                        {.share = 0.5, .duration = 1s},
                                                        {.share = 1, .duration = 11s}});
  EXPECT_EQ(curve.at(0.25), 500ms);
  EXPECT_EQ(curve.at(0.75), 6s);
  EXPECT_EQ(curve.mean(), 3250ms);
  EXPECT_EQ(curve.longest(), 11s);
}

/// Thousands of points, most of them within one cell of the table, and shares at, below and above
/// each.
TEST(Distribution, FindsThePointsOfAnyShare) {
  std::vector<Distribution::Percentile> points = {{.share = 0, .duration = 0s}};
  SeededRandom random(3);
  for (double share = random.fraction() / 100; share < 1;
       share += random.fraction() * (share > 0.999 ? 1e-6 : 0.01)) {
    points.push_back({.share = share, .duration = std::chrono::milliseconds(points.size())});
  }
  points.push_back({.share = 1, .duration = 1h});
  const Distribution curve = Distribution::percentiles(points);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    EXPECT_EQ(curve.at(points[i].share), points[i].duration) << i;
    const double middle = (points[i].share + points[i + 1].share) / 2;
    EXPECT_GE(curve.at(middle), points[i].duration) << i;
    EXPECT_LE(curve.at(middle), points[i + 1].duration) << i;
  }
}

TEST(Distribution, NeverExceedsAYearForAnySigma) {
  const Distribution wide = Distribution::lognormal(8784h, 5);
  EXPECT_EQ(wide.at(1 - 0x1.0p-53), kMaxDuration);
  EXPECT_EQ(wide.mean(), kMaxDuration);
  EXPECT_EQ(wide.longest(), kMaxDuration);
  EXPECT_EQ(Distribution::exponential(8784h).at(1 - 0x1.0p-53), kMaxDuration);
  EXPECT_GE(wide.at(0), 0s);
}

TEST(Distribution, ProblemsNameTheKeyTheTextAndWhatIsValid) {
  for (const char* text :
       {"2", "uniform(3s,1s)", "uniform(1s)", "lognormal(1s,-1)", "normal(1s)", "exponential(1s",
        "", "lognormal(1s,nan)", "lognormal(2s,8)", "lognormal(2s,5.1)", "8785h",
        "exponential(2000000h)", "lognormal(9000h,1)"}) {
    const auto read = parse_distribution("app: start", text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().culprit(), "app: start");
    EXPECT_NE(read.error().message().find("\"" + std::string(text) + "\": want a duration"),
              std::string::npos)
        << read.error().message();
  }
}

}  // namespace
}  // namespace bellows::simulator
