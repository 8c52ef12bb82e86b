#include "recommender/core/hybrid_rule.hpp"

#include <algorithm>

#include "recommender/core/amounts.hpp"
#include "recommender/core/estimator.hpp"

namespace bellows::recommender {

namespace {

/// A usage that grows by more than this fraction in a minute, twice in a row, is growing.
constexpr double kGrowing = 0.03;
/// About a minute, because callers are sometimes a little early.
constexpr Duration kGrowthInterval = std::chrono::seconds(50);
/// A floor this many times as high as the usage is expensive. Memory that reached it without a kill
/// reaches it again by scale-ups.
constexpr double kDearFloor = 10;
/// Time until the sample after the next recommendation, a minute each: growth that a target must
/// cover, and work that waited is done.
constexpr Duration kCatchUp = std::chrono::minutes(2);

/// Raises the decision to `amount` and records `stage`, unless it is as high already.
void raise_to(std::optional<HybridDecision>& decision, double amount, Rule rule, Stage stage,
              double input) {
  if (decision && decision->amount >= amount) return;
  if (!decision) decision.emplace();
  decision->amount = amount;
  decision->rule = rule;
  decision->chain.add(stage, input, amount);
}

/// Raises the decision to a multiple of `usage`, unless it is as high already.
void raise_to_multiple(HybridDecision& decision, double usage, double factor, double amount,
                       Rule rule) {
  if (amount <= decision.amount) return;
  decision.chain.add(Stage::kUsage, 0, usage);
  decision.chain.add(Stage::kFactor, factor, amount);
  decision.amount = amount;
  decision.rule = rule;
}

void start_at_percentile(std::optional<HybridDecision>& decision, const HybridInput& input,
                         const config::HybridSettings& settings) {
  if (input.history == nullptr || input.history->empty()) return;
  decision.emplace().rule = Rule::kFloor;
  const double percentile = resource_settings(settings, input.resource).percentile;
  decision->amount = static_cast<double>(percentile_with_margin(
      *input.history, input.resource, percentile, settings.margin_fraction, decision->chain));
  const bool is_dear =
      input.recent_maximum && decision->amount > kDearFloor * *input.recent_maximum;
  if (input.was_never_killed && is_dear) decision.reset();
}

void cover_recent_maximum(std::optional<HybridDecision>& decision, const HybridInput& input,
                          double with_margin) {
  if (!input.recent_maximum) return;
  raise_to(decision, *input.recent_maximum * with_margin, Rule::kMaximum, Stage::kMaximum, 0);
}

/// Covers the usage of starts: memory that starts need stays, their CPU only during starts.
void cover_starts(std::optional<HybridDecision>& decision, const HybridInput& input,
                  double with_margin) {
  const bool is_needed =
      input.resource == Resource::kMemory || input.is_starting || !input.recent_maximum;
  if (!input.startup_maximum || !is_needed) return;
  raise_to(decision, *input.startup_maximum * with_margin, Rule::kStartup, Stage::kStartupPeak, 0);
}

void keep_held_target(std::optional<HybridDecision>& decision, const HybridInput& input) {
  if (!input.held) return;
  raise_to(decision, *input.held, Rule::kOom, Stage::kOom, input.hold.amount);
}

/// Begins without history: a target that was set stays.
void start_from_nothing(std::optional<HybridDecision>& decision, const HybridInput& input) {
  if (!decision && input.target) decision.emplace().rule = Rule::kHold;
}

/// Gives a load that has returned with a jump its previous size, so that its CPU does not rise in
/// many steps. A usage that grows slowly, as in the morning, does not need it.
void return_released(HybridDecision& decision, const HybridInput& input, double up_factor,
                     double threshold) {
  if (!input.released || !input.steady_usage || *input.released <= decision.amount) return;
  const double usage = *input.steady_usage;
  const bool is_back = usage > up_factor * input.current();
  if (!is_back || usage > part_of(threshold, *input.released)) return;
  decision.chain.add(Stage::kReleased, usage, *input.released);
  decision.amount = *input.released;
  decision.is_return = true;
  decision.rule = Rule::kScaleUp;
}

/// Raises the target to a multiple of the usage if that is near the target. A start ends soon, so
/// it gets only the margin.
void scale_up_for_usage(HybridDecision& decision, const HybridInput& input, double up_factor,
                        double with_margin, double threshold) {
  const double limit = part_of(threshold, input.current());
  const auto scale_up = [&](std::optional<double> usage, double factor, Rule rule) {
    if (!usage || *usage <= limit) return;
    raise_to_multiple(decision, *usage, factor, *usage * factor, rule);
  };
  scale_up(input.steady_usage, up_factor, Rule::kScaleUp);
  scale_up(input.usage, with_margin, Rule::kStartup);
}

/// Raises memory that grows, because it would be killed if it outgrew its target between two
/// recommendations.
void scale_up_for_growth(HybridDecision& decision, const HybridInput& input, double up_factor) {
  if (input.resource != Resource::kMemory || !input.growth.is_growing()) return;
  const double usage = input.growth.now;
  const double ahead = input.growth.extrapolated();
  if (ahead <= input.current()) return;
  const double amount = std::max(ahead, usage * up_factor);
  raise_to_multiple(decision, usage, amount / usage, amount, Rule::kScaleUp);
}

void apply_minimum(HybridDecision& decision, const HybridInput& input) {
  if (decision.amount >= input.minimum) return;
  decision.chain.add(Stage::kMinimum, input.minimum, input.minimum);
  decision.amount = input.minimum;
}

void keep_current(HybridDecision& decision, const HybridInput& input, Rule rule) {
  decision.rule = rule;
  decision.chain.add(Stage::kKept, 0, input.current());
  decision.amount = input.current();
}

/// Drops a small rise, unless something happened or the usage needs it.
void skip_small_rise(HybridDecision& decision, const HybridInput& input, double hysteresis) {
  const bool is_small = decision.amount <= input.current() * (1 + hysteresis) &&
                        input.usage.value_or(0) <= input.current();
  const bool is_by_history = decision.rule == Rule::kFloor || decision.rule == Rule::kMaximum;
  if (is_small && is_by_history) keep_current(decision, input, Rule::kHysteresis);
}

/// Limits a scale-down: it needs a whole window of new samples without a crash loop, a
/// sufficient difference, and a remaining change today.
void limit_scale_down(HybridDecision& decision, const HybridInput& input,
                      const config::HybridSettings& settings) {
  if (!input.is_observed) {
    keep_current(decision, input, Rule::kObserving);
  } else if (decision.amount >= input.current() * (1 - settings.hysteresis)) {
    keep_current(decision, input, Rule::kHysteresis);
  } else if (input.scale_downs >= settings.changes_per_day) {
    decision.chain.add(Stage::kChangesLeft, input.scale_downs, settings.changes_per_day);
    keep_current(decision, input, Rule::kBudget);
  }
}

void avoid_needless_changes(HybridDecision& decision, const HybridInput& input,
                            const config::HybridSettings& settings) {
  if (input.current() <= 0) return;
  if (decision.amount >= input.current()) {
    skip_small_rise(decision, input, settings.hysteresis);
  } else {
    limit_scale_down(decision, input, settings);
  }
}

/// Truncates the amount to whole units, but so that it still covers the usage.
void round_to_whole(HybridDecision& decision, const HybridInput& input) {
  const bool covers = input.usage && *input.usage <= decision.amount;
  decision.target = whole_target(decision.amount, covers ? input.usage : std::nullopt);
  const auto whole = static_cast<double>(decision.target);
  if (whole != decision.amount) decision.chain.add(Stage::kWhole, 0, whole);
}

}  // namespace

HybridResourceSettings resource_settings(const config::HybridSettings& settings,
                                         Resource resource) {
  if (resource == Resource::kCpu) {
    return {settings.cpu_percentile, settings.cpu_threshold, settings.cpu_up_factor,
            settings.window};
  }
  return {settings.memory_percentile, settings.memory_threshold, settings.memory_up_factor,
          settings.window};
}

void UsageGrowth::update(std::optional<double> usage, WallTime time) {
  if (at != WallTime::min() && time - at < kGrowthInterval) return;
  *this = {time, last, now, usage.value_or(0)};
}

bool UsageGrowth::is_growing() const {
  return before > 0 && last > before * (1 + kGrowing) && now > last * (1 + kGrowing);
}

double UsageGrowth::extrapolated() const {
  return now + (now - last) * (kCatchUp / std::chrono::minutes(1));
}

void ReleasedTarget::remember(double target, double up_factor, WallTime now) {
  const double needed = std::min(target, used * up_factor);
  if (needed < amount && now - at <= std::chrono::days(1)) return;
  amount = needed;
  at = now;
}

std::optional<double> ReleasedTarget::amount_at(WallTime now) const {
  if (amount == 0 || now - at > kWeek) return std::nullopt;
  return amount;
}

double ReleasedTarget::without_waiting_work(double usage, double up_factor, WallTime now) const {
  const bool is_just_back = returned != WallTime::min() && now - returned <= kCatchUp;
  return is_just_back && usage > amount ? amount / up_factor : usage;
}

double TargetHold::amount_at(WallTime now, Duration window, double margin_fraction) const {
  if (now - at < window || used == 0) return amount;
  return std::min(amount, used * (1 + margin_fraction));
}

std::optional<HybridDecision> hybrid_rule(const HybridInput& input,
                                          const config::HybridSettings& settings) {
  const HybridResourceSettings own = resource_settings(settings, input.resource);
  const double with_margin = 1 + settings.margin_fraction;
  std::optional<HybridDecision> decision;
  start_at_percentile(decision, input, settings);
  cover_recent_maximum(decision, input, with_margin);
  cover_starts(decision, input, with_margin);
  keep_held_target(decision, input);
  start_from_nothing(decision, input);
  if (!decision) return decision;
  scale_up_for_usage(*decision, input, own.up_factor, with_margin, own.threshold);
  scale_up_for_growth(*decision, input, own.up_factor);
  return_released(*decision, input, own.up_factor, own.threshold);
  apply_minimum(*decision, input);
  avoid_needless_changes(*decision, input, settings);
  round_to_whole(*decision, input);
  return decision;
}

}  // namespace bellows::recommender
