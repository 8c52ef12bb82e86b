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
constexpr double kGiB = 1024. * kMiB;

/// One life with a demand per step.
inline Workload made_up(Duration step, std::vector<Demand> demands, Request first) {
  Workload workload;
  workload.name = "made-up";
  workload.step = step;
  workload.lives = {{0, demands.size()}};
  workload.by_time = std::move(demands);
  workload.first = first;
  return workload;
}

inline Workload constant(Duration step, std::size_t steps, Demand demand, Request first) {
  return made_up(step, std::vector<Demand>(steps, demand), first);
}

/// Nobody ever changes anything.
class Nobody final : public Sizer {
 public:
  void life_begins(std::size_t life, WallTime at) override { told.push_back({"life", at, life}); }
  void life_ends(WallTime at) override { told.push_back({"end", at, 0}); }
  void given(const Request&, WallTime) override {}
  void measured(const Usage& usage) override {
    if (usage.resource == Resource::kCpu) told.push_back({"usage", usage.at, 0});
    usages.push_back(usage);
  }
  void happened(const Event& event) override {
    static constexpr std::array kNames = {"oom", "crash", "loop", "start"};
    told.push_back({kNames[event.what.index()], event.at, 0});
  }
  std::optional<Sizes> ask(WallTime) override { return std::nullopt; }

  struct Told {
    std::string what;
    WallTime at;
    std::size_t life = 0;
    bool operator==(const Told&) const = default;
  };
  std::vector<Told> told;
  std::vector<Usage> usages;
};

inline Track left_alone(const Workload& workload, const WorldSettings& settings = {}) {
  Nobody nobody;
  return live_through(workload, nobody, settings);
}

inline Request request(std::int64_t millicores, std::int64_t mebi) {
  return {Millicores{millicores}, mebibytes(mebi)};
}

}  // namespace bellows::recommender::score
