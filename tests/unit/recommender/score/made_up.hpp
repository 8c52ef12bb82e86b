// Small hand-made worlds for the tests of the score.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recommender/score/sizers.hpp"

namespace bellows::recommender::score {

constexpr double kMiB = 1024. * 1024;

/// One life with a demand per step.
inline Workload synthetic(Duration step, std::vector<Demand> demands, Request first) {
  Workload workload;
  workload.name = "made-up";
  workload.step = step;
  workload.lifetimes = {{0, demands.size()}};
  workload.by_time = std::move(demands);
  workload.first = first;
  return workload;
}

inline Workload constant(Duration step, std::size_t steps, Demand demand, Request first) {
  return synthetic(step, std::vector<Demand>(steps, demand), first);
}

/// ConstantSizer ever changes anything.
class ConstantSizer final : public Sizer {
 public:
  void on_lifetime_begin(std::size_t life, WallTime at) override {
    recorded.push_back({"life", at, life});
  }
  void on_lifetime_end(WallTime at) override { recorded.push_back({"end", at, 0}); }
  void on_request(const Request&, WallTime) override {}
  void on_usage(const Usage& usage) override {
    if (usage.resource == Resource::kCpu) recorded.push_back({"usage", usage.at, 0});
    usages.push_back(usage);
  }
  void on_event(const Event& event) override {
    static constexpr std::array kNames = {"oom", "crash", "loop", "start"};
    recorded.push_back({kNames[event.what.index()], event.at, 0});
  }
  std::optional<Sizes> recommend(WallTime) override { return std::nullopt; }

  struct Recorded {
    std::string what;
    WallTime at;
    std::size_t life = 0;
    bool operator==(const Recorded&) const = default;
  };
  std::vector<Recorded> recorded;
  std::vector<Usage> usages;
};

inline Timeline simulate_unchanged(const Workload& workload,
                                   const SimulationSettings& settings = {}) {
  ConstantSizer sizer;
  return simulate(workload, sizer, settings);
}

inline Request request(std::int64_t millicores, std::int64_t mebi) {
  return {Millicores{millicores}, mebibytes(mebi)};
}

}  // namespace bellows::recommender::score
