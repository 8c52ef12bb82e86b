// The flags of `slack`.
#pragma once

#include <string>

#include "config/schema.hpp"
#include "slack/core/settings.hpp"

namespace bellows::slack {

enum class Output : std::uint8_t { kJson, kText, kCapacityBuffer, kDeployment, kNodeGroups };
enum class ShapeSource : std::uint8_t { kAverages, kRevisions };

/// Settings of plan, probe and report.
struct PlanSettings {
  double rate = 0.1;
  std::int64_t granularity = 5;
  Base base = Base::kCapacity;
  Sizing sizing = Sizing::kAverage;
  double scale_down_utilisation = 0.5;
  std::int64_t scale_down_candidates = 30;
  std::string nodes;
  std::string pods;
  std::string types;
  std::string state;
  ShapeSource shapes = ShapeSource::kAverages;
  std::string revisions;
  std::string group_label;
  std::string space = "default";
  Output output = Output::kJson;

  Settings planner() const;
};

const config::Schema<PlanSettings>& plan_schema();

/// Settings of sim.
struct SimSettings {
  double rate = 0.1;
  std::string scenario = "all";
  std::string baselines = "all";
  std::string trace;
  double scale = 1;
  Duration from{};
  Duration to = std::chrono::hours(24 * 365);
  std::string policy = "bellows";
  std::string app = "start=2s,service=500ms";
  Millicores cpu{500};
  Bytes memory = mebibytes(1024);
  std::int64_t seed = 1;
  std::string report;
  bool json = false;
};

const config::Schema<SimSettings>& sim_schema();

}  // namespace bellows::slack
