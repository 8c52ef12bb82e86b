#include "simulator/traffic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "simulator/workload.hpp"

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

const Distribution kServiceTime = Distribution::exponential(100ms);

Traffic minutes_of(std::vector<std::uint32_t> counts) {
  Traffic traffic;
  traffic.length = std::chrono::minutes(counts.size());
  traffic.per_minute = std::move(counts);
  return traffic;
}

std::vector<Arrival> all_of(const Traffic& traffic, const TrafficOptions& options = {},
                            std::uint64_t seed = 1) {
  ArrivalStream stream(traffic, options, kServiceTime, seed);
  std::vector<Arrival> arrivals;
  for (auto batch = stream.next(); !batch.empty(); batch = stream.next()) {
    arrivals.insert(arrivals.end(), batch.begin(), batch.end());
  }
  return arrivals;
}

/// Variance over mean of the requests per second.
double dispersion_of(const std::vector<Arrival>& arrivals, std::size_t seconds) {
  std::vector<double> counts(seconds);
  for (const Arrival& arrival : arrivals) ++counts[static_cast<std::size_t>(arrival.at / 1s)];
  const double mean = std::accumulate(counts.begin(), counts.end(), 0.0) / seconds;
  double squares = 0;
  for (const double count : counts) squares += (count - mean) * (count - mean);
  return squares / seconds / mean;
}

TEST(ArrivalStream, EachMinuteHasExactlyItsRequestsInTimeOrder) {
  const auto arrivals = all_of(minutes_of({3, 0, 1000}));
  ASSERT_EQ(arrivals.size(), 1003U);
  EXPECT_TRUE(std::ranges::is_sorted(arrivals, {}, &Arrival::at));
  EXPECT_LT(arrivals[2].at, 1min);
  EXPECT_GE(arrivals[3].at, 2min);
  EXPECT_LT(arrivals.back().at, 3min);
}

TEST(ArrivalStream, EachSecondHasExactlyItsRequests) {
  Traffic traffic;
  traffic.per_second = {2, 0, 500, 1};
  traffic.length = 1min;
  const auto arrivals = all_of(traffic);
  ASSERT_EQ(arrivals.size(), 503U);
  EXPECT_TRUE(std::ranges::is_sorted(arrivals, {}, &Arrival::at));
  EXPECT_LT(arrivals[1].at, 1s);
  EXPECT_GE(arrivals[2].at, 2s);
  EXPECT_LT(arrivals[501].at, 3s);
  EXPECT_GE(arrivals[502].at, 3s);
  EXPECT_EQ(all_of(traffic, {.from = 2s, .to = 3s}).size(), 500U);
}

TEST(ArrivalStream, TheSameSeedGivesTheSameArrivalsAnotherSeedOthers) {
  const Traffic traffic = minutes_of({50, 50});
  EXPECT_EQ(all_of(traffic), all_of(traffic));
  EXPECT_NE(all_of(traffic), all_of(traffic, {}, 2));
}

TEST(ArrivalStream, SecondsVaryLikeAPoissonProcess) {
  const auto arrivals = all_of(minutes_of(std::vector<std::uint32_t>(20, 1200)));
  EXPECT_NEAR(dispersion_of(arrivals, 1200), 59.0 / 60, 0.1);
}

TEST(ArrivalStream, SecondsVaryMoreWithADispersion) {
  const Traffic traffic = minutes_of(std::vector<std::uint32_t>(40, 1200));
  for (const double dispersion : {2.0, 4.0, 10.0}) {
    const auto arrivals = all_of(traffic, {.dispersion = dispersion});
    ASSERT_EQ(arrivals.size(), 40U * 1200U);
    EXPECT_NEAR(dispersion_of(arrivals, 2400), dispersion, 0.15 * dispersion);
  }
}

TEST(ArrivalStream, FewRequestsWithALargeDispersionCluster) {
  const auto arrivals = all_of(minutes_of({4}), {.dispersion = 4});
  ASSERT_EQ(arrivals.size(), 4U);
  EXPECT_LE(arrivals.back().at - arrivals.front().at, 1s);
}

TEST(ArrivalStream, ScaleDropsOrCopiesRequests) {
  const Traffic traffic = minutes_of(std::vector<std::uint32_t>(4, 12'000));
  EXPECT_NEAR(static_cast<double>(all_of(traffic, {.scale = 0.25}).size()), 12'000, 500);
  EXPECT_NEAR(static_cast<double>(all_of(traffic, {.scale = 1.5}).size()), 72'000, 600);
  EXPECT_EQ(all_of(minutes_of({7}), {.scale = 3}).size(), 21U);
}

TEST(ArrivalStream, APartOfATraceStartsAtZero) {
  const auto part = all_of(minutes_of({10, 20, 30, 40}), {.from = 1min, .to = 3min});
  EXPECT_EQ(part.size(), 50U);
  EXPECT_LT(part.front().at, 1min);
  EXPECT_LT(part.back().at, 2min);
}

TEST(ArrivalStream, EventsKeepTheirTimesAndServiceTimes) {
  Traffic traffic;
  traffic.length = 1min;
  traffic.events = {{.at = 1s, .service = 3s}, {.at = 2s, .service = {}}};
  const auto arrivals = all_of(traffic);
  ASSERT_EQ(arrivals.size(), 2U);
  EXPECT_EQ(arrivals[0], (Arrival{.at = 1s, .service = 3s}));
  EXPECT_EQ(arrivals[1].at, 2s);
}

TEST(ArrivalStream, ServiceTimesOfTheTraceOverrideThoseOfTheApp) {
  Traffic traffic = minutes_of({5});
  traffic.service = Distribution::fixed(7s);
  for (const Arrival& arrival : all_of(traffic)) EXPECT_EQ(arrival.service, 7s);
}

TEST(AppText, NamesTheSourceOfServiceTimes) {
  Workload workload;
  workload.traffic = minutes_of({5});
  EXPECT_EQ(app_text(workload), "start=2s,service=exponential(500ms)");
  workload.traffic.service = Distribution::fixed(7s);
  EXPECT_EQ(app_text(workload), "start=2s,service=as traced");
  workload.traffic = {};
  workload.traffic.events = {{.at = 1s, .service = 3s}};
  workload.app.workers = 2;
  EXPECT_EQ(app_text(workload), "start=2s,service=as traced,workers=2");
  workload.traffic.events.push_back({.at = 2s, .service = {}});
  EXPECT_EQ(app_text(workload), "start=2s,service=as traced or exponential(500ms),workers=2");
}

}  // namespace
}  // namespace bellows::simulator
