#include "autoscaler/core/decision.hpp"

#include <array>

namespace bellows::autoscaler {

std::string_view to_string(Rule rule) {
  static constexpr std::array<std::string_view, kRules> kNames = {
      "target",    "early-scale-up", "panic-target",     "usage",        "waiting", "no-data",
      "down-rate", "up-rate",        "activation-scale", "panic-hold",   "delay",   "initial-scale",
      "min-scale", "max-scale",      "expected",         "last-replica", "grace",   "to-zero",
      "at-zero",   "machine-room",   "policy",           "occupied",     "paused",  "retired"};
  return kNames.at(static_cast<std::size_t>(rule));
}

std::string_view to_string(EarlyLoad load) {
  static constexpr std::array<std::string_view, 4> kNames = {"none", "panic-window",
                                                             "newest-second", "lasting"};
  return kNames.at(static_cast<std::size_t>(load));
}

std::string_view to_string(Mode mode) {
  return mode == Mode::kPanic ? "panic" : "stable";
}

std::string_view to_string(Problem problem) {
  static constexpr std::array<std::string_view, 3> kNames = {"none", "no-metrics", "no-pod-count"};
  return kNames.at(static_cast<std::size_t>(problem));
}

}  // namespace bellows::autoscaler
