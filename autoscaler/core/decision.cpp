#include "autoscaler/core/decision.hpp"

#include <array>

namespace bellows::autoscaler {

std::string_view to_string(Rule rule) {
  static constexpr std::array<std::string_view, kRules> kNames = {
      "target",      "panic-target", "no-data",      "waiting", "up-rate",
      "fresh-start", "panic-hold",   "last-replica", "to-zero", "at-zero",
      "min-scale",   "max-scale",    "retired"};
  return kNames.at(static_cast<std::size_t>(rule));
}

std::string_view to_string(Mode mode) {
  return mode == Mode::kPanic ? "panic" : "stable";
}

}  // namespace bellows::autoscaler
