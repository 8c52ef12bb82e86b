// The model of the app in every replica.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "simulator/distribution.hpp"
#include "simulator/sharing.hpp"

namespace bellows::simulator {

struct AppModel {
  Distribution start = Distribution::fixed(std::chrono::seconds(2));  ///< from ordered to ready
  /// Service time of one request. The service times of a trace override it.
  Distribution service = Distribution::exponential(std::chrono::milliseconds(500));
  std::int32_t workers = 0;  ///< requests that one replica processes at once; 0: no limit
  /// Part of each service time that needs a core; if the cores of the replica are busy, requests
  /// take longer.
  Duration cpu{};
  double cores = 1;
  Duration crash{};           ///< mean time between crashes of one ready replica; zero: never
  double crash_at_start = 0;  ///< share of starts that fail
  Sharing sharing{};          ///< replaces the model of `cpu`

  /// Duration of `cpu_time` on an idle replica: all cores work on it together.
  Duration at_all_cores(Duration cpu_time) const {
    return Duration(static_cast<Duration::rep>(static_cast<double>(cpu_time.count()) / cores));
  }

  bool operator==(const AppModel&) const = default;
};

/// Parses "slow,service=lognormal(200ms,0.5),workers=10": optional presets (fast, medium, slow; and
/// one of ps, usl, memory, gc, downstream, bimodal, warm-up, change), then key=value.
/// kInvalidSetting names the part, its value and what is valid.
Result<AppModel> parse_app_model(std::string_view text);

/// Writes the text that parse_app_model() reads back: start, service, and what differs from the
/// defaults.
std::string to_string(const AppModel& app);
/// Writes the model for display, with `service` as the text of the service times.
std::string text_with_service(const AppModel& app, std::string_view service);

}  // namespace bellows::simulator
