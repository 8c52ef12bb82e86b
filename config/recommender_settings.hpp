// Settings of the recommender's policies: VPA's flags with their names and defaults, the six
// parameters of the spike rule, and those of hybrid.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "base/units.hpp"
#include "config/schema.hpp"

namespace bellows::config {

enum class RecommenderPolicy : std::uint8_t { kVpa, kSpike, kHybrid };

/// Histograms and estimators: VPA's, at the commit that docs/recommender.md names.
struct HistorySettings {
  double margin_fraction = 0.15;
  double target_cpu_percentile = 0.9;
  double target_memory_percentile = 0.9;
  double lower_bound_cpu_percentile = 0.5;
  double lower_bound_memory_percentile = 0.5;
  double upper_bound_cpu_percentile = 0.95;
  double upper_bound_memory_percentile = 0.95;
  Duration confidence_interval_cpu = std::chrono::hours(24);
  Duration confidence_interval_memory = std::chrono::hours(24);
  Duration memory_aggregation_interval = std::chrono::hours(24);
  std::int64_t memory_aggregation_interval_count = 8;
  Duration memory_half_life = std::chrono::hours(24);
  Duration cpu_half_life = std::chrono::hours(24);
  double oom_bump_up_ratio = 1.2;
  double oom_min_bump_up_bytes = 104857600;

  /// Returns the time without CPU samples after which VPA forgets a container.
  Duration forgotten_after() const;

  bool operator==(const HistorySettings&) const = default;
};

enum class MaximumWindow : std::uint8_t {
  kTumbling,  ///< restarts with the first sample after its end
  kSliding,   ///< always the latest minutes
};

/// The spike rule: its six parameters, and the kind of its window (docs/recommender.md).
struct SpikeSettings {
  double scale_up_factor = 2.0;
  double scale_down_safety_factor = 1.2;
  Duration monitor_window = std::chrono::minutes(30);
  std::int32_t num_crashes = 3;
  double threshold_scale_up = 0.7;
  double threshold_scale_down = 0.3;
  MaximumWindow window = MaximumWindow::kTumbling;
  double margin_fraction = 0;  ///< of the examples of the proposal; not a setting

  bool operator==(const SpikeSettings&) const = default;
};

/// Settings that only hybrid has. Its histograms use HistorySettings.
struct HybridSettings {
  double cpu_percentile = 0.5;
  double memory_percentile = 0.9;
  double margin_fraction = 0.1;
  double cpu_threshold = 0.95;
  double memory_threshold = 0.95;
  double cpu_up_factor = 1.25;
  double memory_up_factor = 1.5;
  Duration window = std::chrono::hours(1);
  double hysteresis = 0.2;
  std::int32_t changes_per_day = 6;
  Duration oom_hold = std::chrono::hours(25);
  Duration startup = std::chrono::minutes(2);
  double lower_bound_fraction = 0.9;
  double upper_bound_factor = 1.5;

  bool operator==(const HybridSettings&) const = default;
};

/// The fields are declared in recommender_settings.cpp.
struct RecommenderSettings {
  RecommenderPolicy policy = RecommenderPolicy::kHybrid;
  std::optional<double> min_cpu_millicores;    ///< per pod, split evenly over its containers
  std::optional<double> min_memory_mebibytes;  ///< the same
  HistorySettings history;
  SpikeSettings spike;
  HybridSettings hybrid;

  /// Returns the minimum, by default VPA's (its flags pod-recommendation-min-*).
  double min_cpu() const { return min_cpu_millicores.value_or(25); }
  double min_memory() const { return min_memory_mebibytes.value_or(250); }
  /// Sets the minimum of a program that starts the processes itself, because VPA's minimum for pods
  /// is more than many small servers use. Policy vpa keeps VPA's.
  void use_minimum_of_processes();

  bool operator==(const RecommenderSettings&) const = default;
};

const Schema<RecommenderSettings>& recommender_schema();
/// Returns the settings of the spike rule, which annotations may override per container.
const Schema<SpikeSettings>& spike_schema();

/// Returns warnings about valid settings under which the spike rule oscillates, for the log at
/// start.
std::vector<std::string> warnings_about(const SpikeSettings& settings);

}  // namespace bellows::config
