#include "simulator/workload.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "report/plot.hpp"
#include "simulator/comparison.hpp"

namespace bellows::simulator {
namespace {

/// Three digits, rounded down.
std::string at_most_text(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  return report::three_digits_text(std::floor(value / unit * (1 + 1e-12)) * unit);
}

}  // namespace

std::string app_text(const Workload& workload) {
  const OwnTimes own = own_times(workload.traffic);
  if (own == OwnTimes::kNone) return to_string(workload.app);
  std::string service = "as traced";
  if (own == OwnTimes::kSome) service += " or " + to_string(workload.app.service);
  return text_with_service(workload.app, service);
}

Result<void> check_scale(const Traffic& traffic, double scale) {
  constexpr double kMaxRequests = 20e6;
  const bool has_seconds = !traffic.per_second.empty();
  const auto& counts = has_seconds ? traffic.per_second : traffic.per_minute;
  const double max = counts.empty() ? static_cast<double>(traffic.events.size())
                                    : *std::max_element(counts.begin(), counts.end());
  if (max * scale <= kMaxRequests) return {};
  const std::string counted = has_seconds ? "the busiest second" : "the busiest minute";
  const std::string what = counts.empty() ? "the trace" : counted;
  return fail(ErrorKind::kInvalidSetting, "scale",
              "\"" + shortest_text(scale) + "\": " + what + " would have " + grouped(max * scale) +
                  " requests: want at most " + grouped(kMaxRequests) + ", so a scale of at most " +
                  at_most_text(kMaxRequests / max));
}

}  // namespace bellows::simulator
