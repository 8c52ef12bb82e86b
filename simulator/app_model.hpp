// The app in every replica, as far as scaling notices it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "simulator/distribution.hpp"

namespace bellows::simulator {

struct AppModel {
  Distribution start = Distribution::fixed(std::chrono::seconds(2));  ///< from order to ready
  /// Of one request that has a worker. A trace that knows its own times wins over it.
  Distribution service = Distribution::exponential(std::chrono::milliseconds(500));
  std::int32_t workers = 0;  ///< requests that one replica works on at once; 0: any number
  /// Part of each service time that needs a core to itself; with more of it than the cores of the
  /// replica can give, requests take longer.
  Duration cpu{};
  double cores = 1;
  Duration crash{};           ///< mean time between crashes of one ready replica; zero: never
  double crash_at_start = 0;  ///< share of all starts that fail at their end

  /// How long CPU time takes if nobody else is there: all cores work on it together.
  Duration at_all_cores(Duration cpu_time) const {
    return Duration(static_cast<Duration::rep>(static_cast<double>(cpu_time.count()) / cores));
  }

  bool operator==(const AppModel&) const = default;
};

/// "slow,service=lognormal(200ms,0.5),workers=10": a preset (fast, medium, slow) or none, then
/// key=value. kInvalidSetting naming the part, its value and what is valid.
Result<AppModel> parse_app_model(std::string_view text);

/// The form that parse_app_model reads back; only what differs from the defaults, at least start
/// and service.
std::string to_string(const AppModel& app);
/// The same with something else for the service times, for people.
std::string text_with_service(const AppModel& app, std::string_view service);

}  // namespace bellows::simulator
