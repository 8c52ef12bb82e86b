// One thing to simulate: traffic, app, and the seed of everything that is chance.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "simulator/app_model.hpp"
#include "simulator/traffic.hpp"

namespace bellows::simulator {

struct Workload {
  Traffic traffic;
  TrafficOptions options;
  AppModel app;
  std::uint64_t seed = 1;
  /// Simulated at the beginning but not counted, so that the first start of all is nobody's.
  Duration warm_up{};

  ArrivalStream arrivals() const { return {traffic, options, app.service, seed}; }
};

/// The app model in full; service times that the trace brings are said to be its own.
std::string app_text(const Workload& workload);

/// A minute's requests are held at once, and all of those that come one by one: kInvalidSetting
/// naming the scale, what would be too much, and the greatest scale that is not.
Result<void> check_scale(const Traffic& traffic, double scale);

/// Told now and then how much is done, 0 to 1.
using Progress = std::function<void(double)>;

}  // namespace bellows::simulator
