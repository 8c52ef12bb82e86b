#include "config/slow_brain_settings.hpp"

#include <array>
#include <utility>

#include "base/duration_text.hpp"
#include "base/text_parts.hpp"
#include "config/schema.hpp"

namespace bellows::config {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::pair<std::string_view, double>, 3> kQuantiles = {
    {{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}}};
constexpr std::string_view kWantGoal = "p50, p95 or p99, < and a duration, as in p95 < 200ms";

}  // namespace

std::string_view to_string(SlowBrain mode) {
  switch (mode) {
    case SlowBrain::kOff:
      return "off";
    case SlowBrain::kAdvise:
      return "advise";
    case SlowBrain::kAuto:
      break;
  }
  return "auto";
}

Result<LatencyGoal> parse_latency_goal(std::string_view text) {
  const auto wrong = [&] {
    return fail(ErrorKind::kInvalidSetting, "latency-goal",
                "\"" + std::string(text) + "\": want " + std::string(kWantGoal));
  };
  const std::size_t less = text.find('<');
  if (less == std::string_view::npos) return wrong();
  const std::string_view quantile = trimmed(text.substr(0, less));
  const auto limit = parse_duration(trimmed(text.substr(less + 1)));
  if (!limit || *limit <= Duration::zero() || *limit > 24h) return wrong();
  for (const auto& [name, value] : kQuantiles) {
    if (name == quantile) return LatencyGoal{value, *limit};
  }
  return wrong();
}

std::string to_string(const LatencyGoal& goal) {
  for (const auto& [name, value] : kQuantiles) {
    if (value == goal.quantile) return std::string(name) + " < " + duration_text(goal.limit);
  }
  return "";
}

std::optional<LatencyGoal> SlowBrainSettings::goal() const {
  const auto parsed = parse_latency_goal(latency_goal);
  return parsed ? std::optional(*parsed) : std::nullopt;
}

TextFormat latency_goal_format() {
  return {.want = std::string(kWantGoal) + ", or nothing",
          .read = [](std::string_view text) -> std::optional<std::string> {
            if (trimmed(text).empty()) return std::string();
            const auto goal = parse_latency_goal(text);
            return goal ? std::optional(to_string(*goal)) : std::nullopt;
          }};
}

const Schema<SlowBrainSettings>& slow_brain_schema() {
  using Settings = SlowBrainSettings;
  static const Schema<Settings> schema = [] {
    auto slow = Schema<Settings>::of();
    slow.add_rule({{"target-min", "target-max"},
                   [](const Settings& s) { return s.target_min <= s.target_max; },
                   "target-min at most target-max",
                   "self.targetMin <= self.targetMax"});
    return slow;
  }();
  return schema;
}

}  // namespace bellows::config
