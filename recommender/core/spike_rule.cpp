#include "recommender/core/spike_rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/amounts.hpp"
#include "recommender/core/go_arithmetic.hpp"
#include "recommender/core/saved.hpp"

namespace bellows::recommender {

namespace {

constexpr double kDoubled = 2;
/// Just enough above 1 / threshold-scale-up that the same usage does not scale up again.
constexpr double kStable = 1.0001;

SpikeVerdict& answer(SpikeVerdict& verdict, Rule rule, double factor, double of) {
  verdict.rule = rule;
  verdict.target = factor * of;
  verdict.chain.add(Stage::kFactor, factor, *verdict.target);
  return verdict;
}

SpikeVerdict& scale_down(SpikeVerdict& verdict, double usage, double highest,
                         const config::SpikeSettings& settings) {
  double factor = settings.scale_down_safety_factor;
  if (settings.auto_stable) factor = std::max(factor, kStable / settings.threshold_scale_up);
  const bool is_current = settings.scale_down_base == config::ScaleDownBase::kCurrent;
  return answer(verdict, Rule::kScaleDown, factor, is_current ? usage : highest);
}

}  // namespace

SpikeVerdict spike_rule(const SpikeInput& input, const config::SpikeSettings& settings) {
  SpikeVerdict verdict;
  const double request = input.request;
  if (input.usage) verdict.chain.add(Stage::kUsage, 0, *input.usage);
  if (request > 0) verdict.chain.add(Stage::kRequest, 0, request);
  const double greater = std::max(input.usage.value_or(0), request);
  if (input.is_crash && greater > 0) return answer(verdict, Rule::kCrash, kDoubled, greater);
  if (!input.usage) {
    verdict.rule = Rule::kNoSamples;
    return verdict;
  }
  const double usage = *input.usage;
  const double upper = part_of(settings.threshold_scale_up, request);
  if (usage > upper) {  // without a request this is any usage at all
    if (request > 0) verdict.chain.add(Stage::kThreshold, settings.threshold_scale_up, upper);
    return answer(verdict, Rule::kScaleUp, settings.scale_up_factor, usage);
  }
  const double highest = std::max(usage, input.maximum.value_or(usage));
  const double lower = part_of(settings.threshold_scale_down, request);
  verdict.chain.add(Stage::kMaximum, 0, highest);
  if (highest >= lower) return verdict;
  verdict.chain.add(Stage::kThreshold, settings.threshold_scale_down, lower);
  if (input.may_fall) return scale_down(verdict, usage, highest, settings);
  verdict.rule = Rule::kObserving;
  return verdict;
}

bool CrashRule::fires(bool is_looping, WallTime now, const config::SpikeSettings& settings) {
  if (!is_looping && crashes_ < settings.num_crashes) return false;
  if (is_waiting(now, settings)) return false;
  crashes_ = 0;
  is_waiting_ = true;
  fired_ = now;
  return true;
}

void CrashRule::save(json::Writer& line) const {
  line.open("crashes").integer("count", crashes_).flag("waiting", is_waiting_);
  saved::write(line, "fired", fired_);
  line.close();
}

Result<void> CrashRule::restore(const json::Object& saved) {
  BELLOWS_TRY(const auto object, saved.object("crashes"));
  BELLOWS_TRY(crashes_, object.integer("count", 0, std::numeric_limits<std::int64_t>::max()));
  BELLOWS_TRY(is_waiting_, object.flag("waiting"));
  BELLOWS_TRY(fired_, saved::read_time(object, "fired"));
  return {};
}

std::int64_t whole_target(double amount, std::optional<double> usage) {
  return std::max(whole_amount(amount), whole_amount(std::ceil(usage.value_or(0))));
}

}  // namespace bellows::recommender
