#include "autoscaler/explain/text.hpp"

#include <array>
#include <cstdio>

#include "autoscaler/core/rules/scale_to_zero.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler::explain {
std::string number_text(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 ? 2 : 3;
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  std::string text = buffer.data();
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string replicas_text(PodCount count) {
  return std::to_string(count) + (count == 1 ? " replica" : " replicas");
}

std::string whole_seconds_text(Duration duration) {
  return duration_text(std::chrono::round<std::chrono::seconds>(duration));
}

bool is_first_starting(const Decision& decision) {
  return decision.rule == Rule::kLastReplica &&
         decision.spec.rules.keep_alive == config::KeepAlive::kWindow &&
         decision.after.activity.state == Serving::kActivating;
}

bool is_retained(const Decision& decision) {
  const ScalingSpec& spec = decision.spec;
  if (spec.rules.keep_alive != config::KeepAlive::kWindow) return true;
  const Duration lasted = decision.at - decision.after.activity.since;
  return decision.seen.is_reachable && lasted < spec.pod_retention;
}

std::string start_timeout_text(const Decision& decision) {
  const Duration deadline = decision.spec.progress_deadline;
  return "progress-deadline " + duration_text(deadline) + " plus " +
         duration_text(start_timeout(decision.spec) - deadline);
}

}  // namespace bellows::autoscaler::explain
