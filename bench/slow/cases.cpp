#include "bench/slow/cases.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/random.hpp"
#include "simulator/app_model.hpp"

namespace bellows::slow_table {

/// (a) to (i). Goals are two to three times what an idle replica takes at that percentile; in (c)
/// and (f) what the law leaves at the peak of its throughput, so that a goal can be kept.
std::vector<Model> models() {
  const std::string times = "start=3s,service=lognormal(500ms,0.3)";
  return {
      {"a workers", times + ",workers=8", "p95 < 1500ms", 90},
      {"b ps", "ps," + times + ",cores=8", "p95 < 1500ms", 90},
      {"c usl", "usl," + times + ",s=0.01,k=0.0005", "p95 < 1800ms", 140},
      {"d memory", "memory," + times, "p95 < 1200ms", 180},
      {"e gc", "gc," + times + ",gc-every=100,gc-pause=8ms", "p95 < 1500ms", 180},
      {"f downstream", "downstream," + times + ",downstream=60", "p95 < 1800ms", 110},
      {"g bimodal", "bimodal," + times + ",cores=12", "p95 < 10s", 60},
      {"h warm-up", "warm-up," + times + ",cores=8,warm-up=30s,cold-factor=2", "p95 < 1800ms", 90},
      {"i change", "change," + times + ",cores=12,change-at=60m", "p95 < 3s", 70, true},
  };
}

std::vector<Load> loads() {
  const double turn = 2 * std::numbers::pi;
  return {
      {"sine", true, [=](double at) { return 0.6 + 0.4 * std::sin(6 * turn * at); }},
      {"steps", true, [](double at) { return std::fmod(at * 8, 1) < 0.5 ? 0.35 : 1.0; }},
      {"pulses", true, [](double at) { return std::fmod(at * 9, 1) < 0.3 ? 0.8 : 0.08; }},
      {"ramps", false, [](double at) { return 0.2 + 0.8 * std::fmod(at * 5, 1); }},
      {"on/off", false, [](double at) { return std::fmod(at * 12, 1) < 0.6 ? 0.9 : 0.05; }},
      {"day", false,
       [=](double at) {
         const double day = 0.5 - 0.45 * std::cos(2 * turn * at);
         return std::min(1.0, day + (std::fmod(at * 31, 1) < 0.06 ? 0.3 : 0.0));
       }},
  };
}

simulator::Workload workload_of(const Model& model, const Load& load, const Course& course,
                                std::uint64_t seed) {
  simulator::Workload workload;
  workload.app = *simulator::parse_app_model(model.app);
  workload.seed = seed;
  workload.warm_up = course.warm_up;
  workload.traffic.length = course.length;
  constexpr double kBegin = 180;  // seconds
  SeededRandom random(seed);
  const double seconds = to_seconds(course.length);
  // Poisson arrivals at the full rate, thinned.
  for (double at = 0;;) {
    at -= std::log(1 - random.fraction()) / model.rate;
    if (at >= seconds) break;
    // The load begins slowly: what piles up before the first replica is ready is not the target's.
    const double begun = std::min(1.0, at / kBegin);
    if (random.fraction() >= begun * load.share(at / seconds)) continue;
    workload.traffic.events.push_back({from_seconds(at), {}});
  }
  return workload;
}

}  // namespace bellows::slow_table
