// The cost of decisions by triggers: five of them over 1,000 points, and a whole decision.
#include <benchmark/benchmark.h>

#include <string>

#include "autoscaler/core/decider.hpp"
#include "autoscaler/triggers/trigger_engine.hpp"

namespace bellows::autoscaler {
namespace {

using std::chrono::seconds;

constexpr const char* kFive = R"({"min":2,"max":100000,
  "up":{"cooldown":300,"metricsTrigger":[
    {"type":"room","usage":70,"threshold":80,"time":10000},
    {"type":"cpu","usage":70,"threshold":80,"time":10000},
    {"type":"mem","usage":70,"threshold":80,"time":10000}]},
  "down":{"cooldown":300,"metricsTrigger":[
    {"type":"room","usage":50,"threshold":80,"time":10000},
    {"type":"cpu","usage":50,"threshold":80,"time":10000}]}})";

triggers::Tick tick_at(TimePoint now, int step) {
  triggers::Tick tick;
  tick.at = now;
  tick.rooms = {.creating = 0, .ready = 4, .occupied = 6 + step % 2, .terminating = 0};
  tick.cpu = Consumption{.usage = 6.1, .requests = 10};
  tick.memory = Consumption{.usage = 6e9, .requests = 10e9};
  return tick;
}

void five_triggers_over_1000_points(benchmark::State& state) {
  const triggers::Config config = triggers::read_config(*json::parse(kFive)).value();
  triggers::Memory memory;
  triggers::fit(memory, config);
  TimePoint now(seconds(86400));
  int step = 0;
  for (; step < 1100; ++step) {
    const triggers::Tick tick = tick_at(now += seconds(10), step);
    triggers::remember(memory, config, tick, triggers::decide(config, memory, tick));
  }
  for (auto _ : state) {
    const triggers::Tick tick = tick_at(now += seconds(10), ++step);
    triggers::remember(memory, config, tick, triggers::decide(config, memory, tick));
    benchmark::DoNotOptimize(memory);
  }
  std::size_t points = 0;
  for (const auto& history : memory.points)
    points += sizeof(triggers::Point) * static_cast<std::size_t>(history.capacity());
  state.counters["bytes_beside_points"] =
      static_cast<double>(sizeof(memory) + memory.beyond.capacity() * sizeof(triggers::Beyond));
  state.counters["bytes_of_points"] = static_cast<double>(points);
}
BENCHMARK(five_triggers_over_1000_points);

/// As the autoscaler decides: every 2 s, a point every 10 s.
void whole_decision(benchmark::State& state) {
  config::RevisionSettings settings;
  settings.autoscaling = kFive;
  const ScalingSpec spec = scaling_spec(settings);
  DeciderState memory;
  TimePoint now(seconds(86400));
  int step = 0;
  for (auto _ : state) {
    const triggers::Tick tick = tick_at(now, ++step);
    PolicySeen more;
    more.rooms = tick.rooms;
    more.cpu = tick.cpu;
    more.memory = tick.memory;
    Observation seen;
    seen.ready = seen.observed = seen.requested = 10;
    seen.policy = PolicySeenPtr(std::move(more));
    remember(memory, decide(spec, seen, memory, now));
    now += kEvaluationPeriod;
    benchmark::DoNotOptimize(memory);
  }
}
BENCHMARK(whole_decision);

}  // namespace
}  // namespace bellows::autoscaler
