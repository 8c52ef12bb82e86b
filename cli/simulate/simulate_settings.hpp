// Flags of `bellows simulate`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "config/schema.hpp"

namespace bellows::cli {

enum class FormatChoice : std::uint8_t { kAuto, kMinutes, kEvents, kAzure2019, kAzure2021 };

/// The policies that are compared on a trace.
inline constexpr std::string_view kUsualPolicies = "bellows,knative";
inline constexpr std::string_view kSearchedPolicy = "bellows";  ///< its settings are searched

struct SimulateSettings {
  std::string trace;
  FormatChoice format = FormatChoice::kAuto;
  std::string function;
  std::string durations;
  std::string policy;  ///< empty: kUsualPolicies, or a search for an access log
  std::string set;
  std::string app;
  std::int64_t seed = 1;
  double scale = 1;
  double dispersion = 1;
  Duration from{};
  std::optional<Duration> to;
  std::optional<Duration> warm_up;  ///< unset: see default_warm_up()
  std::string report;
  std::string journal;
  bool suggest = false;
  bool json = false;
};

const config::Schema<SimulateSettings>& simulate_schema();

}  // namespace bellows::cli
