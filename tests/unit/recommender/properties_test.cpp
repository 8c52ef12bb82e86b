// What holds for any load.
#include <gtest/gtest.h>
// gtest first: rapidcheck's header builds on it.
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "recommender/core/aggregate.hpp"
#include "recommender/core/go_arithmetic.hpp"
#include "recommender/core/spike_rule.hpp"
#include "tests/unit/recommender/scene.hpp"

namespace bellows::recommender {
namespace {

using config::RecommenderPolicy;

constexpr std::array<RecommenderPolicy, 3> kPolicies{
    RecommenderPolicy::kVpa, RecommenderPolicy::kSpike, RecommenderPolicy::kHybrid};

RC_GTEST_PROP(SpikeAndHybrid, NeverRecommendLessThanIsUsed, ()) {
  const auto policy = *rc::gen::element(RecommenderPolicy::kSpike, RecommenderPolicy::kHybrid);
  const auto loads =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::weightedOneOf<int>(
          {{5, rc::gen::inRange(1, 500)}, {1, rc::gen::inRange(500, 50'000)}})));
  const bool applies = *rc::gen::arbitrary<bool>();
  const std::int64_t request = *rc::gen::inRange<std::int64_t>(0, 2000);
  Scene scene(policy);
  scene.request(0, request, 0);
  double at = 0;
  for (const int load : loads) {
    at += 7 * kMinute;
    scene.cpu(at, load);
    const std::int64_t target = scene.cpu_target(at);
    // Silence of spike: the request is large enough as it is.
    RC_ASSERT((target == 0 ? load <= request : target >= load));
    if (applies && target != 0) scene.request(at, target, 0);
  }
}

RC_GTEST_PROP(SpikeRule, GrowsWithTheUsageAboveTheThreshold, ()) {
  const double request = *rc::gen::inRange(1, 100'000);
  const double usage = *rc::gen::inRange(1, 100'000);
  const double more = usage + *rc::gen::inRange(0, 1000);
  const auto target = [&](double of) {
    return spike_rule({.usage = of, .request = request, .maximum = of}, {}).target;
  };
  RC_PRE(usage > 0.7 * request);
  RC_ASSERT(*target(more) >= *target(usage));
}

RC_GTEST_PROP(SpikeRule, IsIndependentOfTheUnit, ()) {
  const double scale = std::ldexp(1., *rc::gen::inRange(-8, 20));
  const double request = *rc::gen::inRange(0, 100'000);
  const double usage = *rc::gen::inRange(0, 100'000);
  const double maximum = usage + *rc::gen::inRange(0, 1000);
  const auto small = spike_rule({.usage = usage, .request = request, .maximum = maximum}, {});
  const auto large = spike_rule(
      {.usage = usage * scale, .request = request * scale, .maximum = maximum * scale}, {});
  RC_ASSERT(small.rule == large.rule);
  RC_ASSERT(small.target.has_value() == large.target.has_value());
  RC_ASSERT(small.target.value_or(0) * scale == large.target.value_or(0));
}

/// What one instant tells: of each of three replicas its CPU (a second one of the same instant is a
/// repetition, docs/recommender.md) and its memory, twice.
struct SampleRow {
  std::uint32_t replica = 0;
  Resource resource = Resource::kCpu;
  double amount = 0;
};
std::vector<SampleRow> samples_of_one_time(const std::array<int, 9>& loads) {
  std::vector<SampleRow> samples;
  for (std::uint32_t replica = 0; replica < 3; ++replica) {
    samples.push_back({replica, Resource::kCpu, loads[replica] / 1000.});
    samples.push_back({replica, Resource::kMemory, loads[3 + replica] * 1e6});
    samples.push_back({replica, Resource::kMemory, loads[6 + replica] * 1e6});
  }
  return samples;
}

RC_GTEST_PROP(EveryPolicy, IsIndependentOfTheOrderOfSamplesOfOneTime, ()) {
  const auto policy = *rc::gen::elementOf(kPolicies);
  WorkloadSettings settings;
  settings.settings.spike.window =
      *rc::gen::element(config::MaximumWindow::kTumbling, config::MaximumWindow::kSliding);
  const auto loads = *rc::gen::container<std::vector<std::array<int, 9>>>(
      rc::gen::container<std::array<int, 9>>(rc::gen::inRange(1, 3000)));
  std::array<std::array<std::size_t, 9>, 2> orders;
  for (auto& order : orders) std::iota(order.begin(), order.end(), 0U);
  for (std::size_t& place : orders[1]) std::swap(place, orders[1].at(*rc::gen::inRange(0, 9)));
  std::array<std::unique_ptr<Policy>, 2> policies;
  for (auto& each : policies) {
    each = make_policy(policy, std::make_shared<const WorkloadSettings>(settings));
    for (const char* replica : {"a", "b", "c"}) {
      const auto added = each->add_instance(PodName(replica), ContainerName("app"), replay_time(0));
      RC_ASSERT(each->set_request(added, {Millicores{9000}, Bytes{9'000'000'000}}, replay_time(0))
                    .has_value());
    }
  }
  double at = 0;
  for (const auto& load : loads) {
    at += 11 * kMinute;
    const std::vector<SampleRow> samples = samples_of_one_time(load);
    for (std::size_t i = 0; i < policies.size(); ++i) {
      for (const std::size_t next : orders[i]) {
        const Usage usage{replay_time(at), samples[next].resource, samples[next].amount};
        RC_ASSERT(policies[i]->record({samples[next].replica}, usage).has_value());
      }
    }
    RC_ASSERT(policies[0]->recommend(replay_time(at))[0].sizes ==
              policies[1]->recommend(replay_time(at))[0].sizes);
  }
}

RC_GTEST_PROP(EveryPolicy, RestoresItsSavedStateToTheBit, ()) {
  const auto policy = *rc::gen::elementOf(kPolicies);
  const auto loads = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100'000));
  Scene scene(policy);
  double at = 0;
  for (const int load : loads) {
    at += 37 * kMinute + 0.123;
    scene.cpu(at, load * 0.37);
    scene.memory(at, load * 7777.0);
    if (load % 10 == 3) scene.event(at, OomKilled{Bytes{std::int64_t{load} * 100'000}});
    if (load % 10 == 4) scene.event(at, Crashed{});
    if (load % 10 == 5) scene.event(at, CrashLoop{load % 20 == 5});
    scene.recommend(at);
  }
  scene.restart(at);  // compares both saved texts
}

RC_GTEST_PROP(EveryPolicy, RestoresStatesAtTheLimitsOfValidInput, ()) {
  const auto policy = *rc::gen::elementOf(kPolicies);
  const auto bytes = rc::gen::elementOf(
      std::vector<std::int64_t>{0, 1, 999'999, kMaxAmount / 2, 8 * (kMaxAmount / 10),
                                kMaxAmount - 100 * kMi, kMaxAmount - 1, kMaxAmount});
  const auto cores = rc::gen::elementOf(std::vector<double>{0, 1e-9, 0.001, 99'999.999, 1e5});
  WorkloadSettings settings;
  settings.settings.history.oom_bump_up_ratio = *rc::gen::element(1., 1.2, 100.);
  settings.settings.history.oom_min_bump_up_bytes = *rc::gen::element(0., 1048576e2, 1e14);
  settings.settings.spike.scale_up_factor = *rc::gen::element(1.001, 100.);
  settings.settings.spike.margin_fraction = *rc::gen::element(0., 10.);
  Scene scene(policy, settings);
  double at = 0;
  const int steps = *rc::gen::inRange(0, 30);
  for (int step = 0; step < steps; ++step) {
    at += *rc::gen::element(0.001, 60., 3600., 86'400.);
    scene.cpu(at, *cores * 1000);
    const int what = *rc::gen::inRange(0, 5);
    if (what == 0) scene.event(at, OomKilled{Bytes{*bytes}});
    if (what == 1) scene.event(at, CrashLoop{*rc::gen::arbitrary<bool>()});
    if (what == 2) scene.request(at, *bytes, *bytes);
    if (what == 3) scene.memory(at, static_cast<double>(*bytes));
    if (what == 4) scene.recommend(at);
  }
  scene.recommend(at);
  scene.restart(at);
}

RC_GTEST_PROP(Aggregates, MergeAssociatively, ()) {
  const HistogramOptions cpu{cpu_buckets(), std::chrono::hours(24)};
  const HistogramOptions memory{memory_buckets(), std::chrono::hours(24)};
  const auto part = [&] {
    Aggregate aggregate(cpu, memory);
    for (const int sample : *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 100'000))) {
      aggregate.add_cpu(sample / 1000., 0.1, replay_time(sample));
      aggregate.memory.add(sample * 1e5, 1, replay_time(sample));
    }
    return aggregate;
  };
  Aggregate a = part();
  Aggregate b = part();
  Aggregate c = part();
  Aggregate left = a;
  left.merge(b);
  left.merge(c);
  b.merge(c);
  a.merge(b);
  // Sums of doubles: the order of merges shows in the last bits, so weights are near, counts equal.
  RC_ASSERT(left.samples == a.samples && left.first_sample == a.first_sample);
  RC_ASSERT(left.cpu.min_bucket() == a.cpu.min_bucket());
  RC_ASSERT(left.cpu.max_bucket() == a.cpu.max_bucket());
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    RC_ASSERT(std::abs(left.cpu.weight(bucket) - a.cpu.weight(bucket)) <=
              1e-12 * a.cpu.total_weight());
  }
}

}  // namespace
}  // namespace bellows::recommender
