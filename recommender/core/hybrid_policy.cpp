#include "recommender/core/hybrid_policy.hpp"

#include <algorithm>
#include <utility>

#include "recommender/core/amounts.hpp"
#include "recommender/core/estimator.hpp"
#include "recommender/core/go_arithmetic.hpp"
#include "recommender/core/timestamp.hpp"

namespace bellows::recommender {

namespace {

constexpr Duration kDay = std::chrono::hours(24);
constexpr Duration kStartupMemory = 7 * kDay;
constexpr double kDoubled = 2;
constexpr double kQuadrupled = 4;
/// A usage that grows by more than this part in a minute, twice, is on its way up.
constexpr double kGrowing = 0.03;
/// About a minute: whoever asks is a little early at times.
constexpr Duration kGrowthInterval = std::chrono::seconds(50);
/// Minutes for which the target of a growing usage must last.
constexpr double kAhead = 2;

}  // namespace

HybridPolicy::HybridPolicy(std::shared_ptr<const WorkloadSettings> settings)
    : Policy(std::move(settings)), history_(Policy::settings().settings.history) {}

HybridPolicy::Part HybridPolicy::part(Resource resource) const {
  const config::HybridSettings& all = hybrid();
  if (resource == Resource::kCpu) return {all.cpu_percentile, all.cpu_threshold, all.cpu_up_factor};
  return {all.memory_percentile, all.memory_threshold, all.memory_up_factor};
}

HybridPolicy::OfResource& HybridPolicy::state(std::uint32_t container, Resource resource) {
  return containers_[container].resources[index_of(resource)];
}

void HybridPolicy::on_container(std::uint32_t /*container*/) {
  history_.add_container();
  containers_.push_back({{OfResource(hybrid().cpu_window, kStartupMemory),
                          OfResource(hybrid().memory_window, kStartupMemory)},
                         {}});
}

void HybridPolicy::on_instance(InstanceId instance, WallTime /*now*/) {
  history_.add_instance(instance);
  watch_.add_instance(instance);
}

void HybridPolicy::on_request(InstanceId instance, const Request& before, WallTime /*at*/) {
  const Instance& now = roster().at(instance);
  if (now.request != before) containers_[now.container].crashes.applied();
}

/// Into the maxima. False: it was of a start, which teaches no histogram.
bool HybridPolicy::watch(InstanceId instance, const Usage& usage, double amount) {
  const Instance& of = roster().at(instance);
  watch_.take(instance, usage.resource, amount, usage.at);
  OfResource& resource = state(of.container, usage.resource);
  resource.has_news = true;
  resource.raised.used = std::max(resource.raised.used, amount);
  // A sample tells of the time before it: the one at the end of the start is the start's.
  const bool is_steady = usage.at - of.started > hybrid().startup || watch_.is_restart(instance);
  (is_steady ? resource.steady : resource.startup).add(amount, usage.at);
  return is_steady;
}

void HybridPolicy::on_repeated(InstanceId instance, const Usage& usage) {
  watch(instance, usage, in_units(usage));
}

void HybridPolicy::on_usage(InstanceId instance, const Usage& usage) {
  const Instance& of = roster().at(instance);
  if (usage.resource == Resource::kCpu) history_.fetch_ahead(of.container);
  const double amount = in_units(usage);
  if (!watch(instance, usage, amount)) return;
  if (usage.resource == Resource::kCpu) {
    history_.add_cpu(of.container, usage.at, usage.amount, of.request.cpu);
  } else {
    history_.add_memory(instance, of.container, usage.at, static_cast<std::int64_t>(amount));
  }
}

Result<void> HybridPolicy::on_event(InstanceId instance, const Event& event) {
  const std::uint32_t index = roster().at(instance).container;
  Container& container = containers_[index];
  if (const auto* oom = std::get_if<OomKilled>(&event.what)) {
    const auto needed = history_.add_oom(instance, index, event.at, oom->memory);
    if (!needed) {
      return fail(ErrorKind::kMalformed, roster().label(instance),
                  "oom at " + timestamp_text(event.at) +
                      ": want a time not more than one memory-aggregation-interval before the "
                      "latest memory sample");
    }
    watch_.killed_for_memory(instance, event.at);
    on_oom(instance, *needed, oom->memory, event.at);
  } else if (std::holds_alternative<Started>(event.what)) {
    watch_.restarted(instance);
  } else if (watch_.is_memory_death(instance, event.at)) {
    return {};  // answered with memory: more CPU would not have saved it
  } else if (std::holds_alternative<Crashed>(event.what)) {
    const config::SpikeSettings& spike = container_settings(index).spike;
    const bool is_last = container.doublings >= hybrid().crash_doublings;
    container.is_in_vain |= is_last && !container.crashes.is_waiting(event.at, spike);
    container.crashes.crashed();
    container.last_crash = event.at;
  } else if (const auto* loop = std::get_if<CrashLoop>(&event.what)) {
    watch_.set_looping(instance, loop->active);
    container.last_crash = event.at;
  }
  return {};
}

/// Doubled, because VPA's bump needs 12 kills from 250 MiB to 20 GiB and doubling needs 7. If what
/// a kill was answered with is killed too, the next answer is four times that: then it takes 4.
void HybridPolicy::on_oom(InstanceId instance, std::int64_t needed, Bytes killed, WallTime at) {
  Raised& raised = state(roster().at(instance).container, Resource::kMemory).raised;
  const auto had = static_cast<double>(killed.value);
  const bool is_again = at < raised.until && raised.rule == Rule::kOom && had >= raised.amount;
  const double amount =
      std::max(static_cast<double>(needed), (is_again ? kQuadrupled : kDoubled) * had);
  raised = {.amount = at < raised.until ? std::max(amount, raised.amount) : amount,
            .at = at,
            .until = at + hybrid().oom_hold,
            .rule = Rule::kOom};
}

bool HybridPolicy::is_looping(std::uint32_t container) const {
  return watch_.looping(roster(), container) >=
         container_settings(container).spike.crash_loop_quorum;
}

/// Crashes double what there is, but only so often: what does not heal then is not for want of
/// room. A quiet day begins a new series.
bool HybridPolicy::is_crash(std::uint32_t container, WallTime now) {
  Container& of = containers_[container];
  const bool loops = is_looping(container);
  if (!loops && (of.last_crash == WallTime::min() || now - of.last_crash > kDay)) {
    of.doublings = 0;
    of.is_in_vain = false;
    for (OfResource& resource : of.resources) resource.before_crashes = 0;
  }
  if (of.doublings >= hybrid().crash_doublings) return false;
  if (!of.crashes.fires(loops, now, container_settings(container).spike)) return false;
  ++of.doublings;
  return true;
}

/// What crashed on in a loop with every doubling in effect is given back what it had before.
void HybridPolicy::take_back(std::uint32_t container, WallTime now) {
  Container& of = containers_[container];
  if (!of.is_in_vain || !is_looping(container)) return;
  for (OfResource& resource : of.resources) {
    if (resource.before_crashes == 0) continue;
    if (resource.raised.rule == Rule::kCrash) resource.raised = {};
    resource.target = std::exchange(resource.before_crashes, 0);
    resource.falls.push_back(now);
    of.since = now;
  }
}

Duration HybridPolicy::window(Resource resource) const {
  return resource == Resource::kCpu ? hybrid().cpu_window : hybrid().memory_window;
}

double HybridPolicy::held(const Raised& raised, Resource resource, WallTime now) const {
  if (now - raised.at < window(resource) || raised.used == 0) return raised.amount;
  return std::min(raised.amount, raised.used * (1 + hybrid().margin_fraction));
}

/// The percentile of daily peaks says what most days need; the peak of a single day does not.
bool HybridPolicy::has_floor(std::uint32_t container, Resource resource, WallTime now) {
  if (resource == Resource::kCpu) return true;
  const OfResource& of = containers_[container].resources[index_of(resource)];
  const Duration peak_of = settings().settings.history.memory_aggregation_interval;
  const WallTime first = history_.known(container).first_sample;
  const bool knows_days =
      of.steady.has_watched(peak_of, now) || (first != Histogram::kNever && now - first >= peak_of);
  return knows_days || (!of.steady.maximum(now) && !of.startup.maximum(now));
}

/// What history, the last hours, starts and kills say together; nothing: nobody knows anything.
std::optional<HybridPolicy::Want> HybridPolicy::base(std::uint32_t container, Resource resource,
                                                     WallTime now) {
  const bool is_cpu = resource == Resource::kCpu;
  const OfResource& of = state(container, resource);
  const Aggregate& known = history_.known(container);
  const Histogram& histogram = is_cpu ? known.cpu : known.memory;
  std::optional<Want> want;
  const auto at_least = [&](double amount, Rule rule, Stage stage, double input) {
    if (want && want->amount >= amount) return;
    if (!want) want.emplace();
    want->amount = amount;
    want->rule = rule;
    want->chain.add(stage, input, amount);
  };
  const double with_margin = 1 + hybrid().margin_fraction;
  if (!histogram.empty() && has_floor(container, resource, now)) {
    want.emplace().rule = Rule::kFloor;
    want->amount = static_cast<double>(percentile_with_margin(
        histogram, resource, part(resource).percentile, hybrid().margin_fraction, want->chain));
  }
  if (const auto steady = of.steady.maximum(now)) {
    at_least(*steady * with_margin, Rule::kMaximum, Stage::kMaximum, 0);
  }
  const bool is_starting = has_starting(roster(), container, now, hybrid().startup);
  if (const auto startup = of.startup.maximum(now);
      startup && (!is_cpu || is_starting || !of.steady.maximum(now))) {
    at_least(*startup * with_margin, Rule::kStartup, Stage::kStartupPeak, 0);
  }
  if (now < of.raised.until) {
    at_least(held(of.raised, resource, now), of.raised.rule,
             of.raised.rule == Rule::kOom ? Stage::kOom : Stage::kKept, of.raised.amount);
  }
  return want;
}

/// The spike rule upward: usage near the target asks for a multiple of the usage. A start is known
/// to end, so it gets no more than the margin.
void HybridPolicy::raise_for_usage(std::uint32_t container, Resource resource, WallTime now,
                                   Want& want) {
  const WallTime oldest = now - window(resource);
  const auto usage = watch_.highest(roster(), container, resource, oldest);
  if (!usage) return;
  const auto steady = watch_.highest(roster(), container, resource, oldest, now - hybrid().startup);
  const OfResource& of = state(container, resource);
  const double has = of.target.value_or(request_of(roster(), container, resource));
  const double limit = part_of(part(resource).threshold, has);
  const auto raise = [&](double seen, double factor, Rule rule) {
    if (seen <= limit || seen * factor <= want.amount) return;
    want.chain.add(Stage::kUsage, 0, seen);
    want.chain.add(Stage::kFactor, factor, seen * factor);
    want.amount = seen * factor;
    want.rule = rule;
  };
  if (steady) raise(*steady, part(resource).up_factor, Rule::kScaleUp);
  raise(*usage, 1 + hybrid().margin_fraction, Rule::kStartup);
}

void HybridPolicy::watch_growth(std::uint32_t container, Resource resource, WallTime now) {
  Growth& growth = state(container, resource).growth;
  if (growth.at != WallTime::min() && now - growth.at < kGrowthInterval) return;
  const auto usage = watch_.highest(roster(), container, resource, now - window(resource));
  growth = {now, growth.last, growth.now, usage.value_or(0)};
}

/// Memory that outgrows its target between two recommendations is killed before anybody sees it.
void HybridPolicy::raise_for_growth(std::uint32_t container, Resource resource, Want& want) {
  OfResource& of = state(container, resource);
  const Growth& growth = of.growth;
  const bool is_growing = growth.before > 0 && growth.last > growth.before * (1 + kGrowing) &&
                          growth.now > growth.last * (1 + kGrowing);
  if (resource != Resource::kMemory || !is_growing) return;
  const double ahead = growth.now + kAhead * (growth.now - growth.last);
  const double has = of.target.value_or(request_of(roster(), container, resource));
  const double amount = std::max(ahead, growth.now * part(resource).up_factor);
  if (ahead <= has || amount <= want.amount) return;
  want.chain.add(Stage::kUsage, 0, growth.now);
  want.chain.add(Stage::kFactor, amount / growth.now, amount);
  want.amount = amount;
  want.rule = Rule::kScaleUp;
}

void HybridPolicy::raise_for_crash(std::uint32_t container, Resource resource, WallTime now,
                                   Want& want) {
  OfResource& of = state(container, resource);
  const double request = request_of(roster(), container, resource);
  const double has = of.target.value_or(request);
  if (containers_[container].doublings == 1) of.before_crashes = has;
  const double doubled = kDoubled * std::max({of.target.value_or(0), request, 0.0});
  if (doubled > want.amount) {
    want.amount = doubled;
    want.rule = Rule::kCrash;
    want.chain.add(Stage::kFactor, kDoubled, doubled);
  }
  of.raised = {
      .amount = want.amount, .at = now, .until = now + hybrid().oom_hold, .rule = Rule::kCrash};
}

/// Between what it has and what it would get: small differences are not worth a change, and falls
/// need news, a whole window (after a rise another one), no crash loop, and a change left today.
void HybridPolicy::keep_calm(std::uint32_t container, Resource resource, WallTime now, Want& want) {
  OfResource& of = state(container, resource);
  const double request = request_of(roster(), container, resource);
  const double has = of.target.value_or(request);
  if (has <= 0) return;
  std::erase_if(of.falls, [&](WallTime fall) { return now - fall > kDay; });
  const auto keep = [&](Rule rule) {
    want.rule = rule;
    want.chain.add(Stage::kKept, 0, has);
    want.amount = has;
  };
  if (want.amount >= has) {
    const auto usage = watch_.highest(roster(), container, resource, now - window(resource));
    const bool is_small =
        want.amount <= has * (1 + hybrid().hysteresis) && usage.value_or(0) <= has;
    const bool is_calm = want.rule == Rule::kFloor || want.rule == Rule::kMaximum;
    if (is_small && is_calm) keep(Rule::kHysteresis);
  } else if (containers_[container].is_in_vain && is_looping(container)) {
    keep(Rule::kTakenBack);
  } else if (!of.has_news || !of.steady.has_watched_a_window(now) ||
             (of.rose != WallTime::min() && now - of.rose < window(resource)) ||
             watch_.looping(roster(), container) > 0) {
    keep(Rule::kObserving);
  } else if (want.amount >= has * (1 - hybrid().hysteresis)) {
    keep(Rule::kHysteresis);
  } else if (static_cast<std::int32_t>(of.falls.size()) >= hybrid().changes_per_day) {
    want.chain.add(Stage::kChangesLeft, static_cast<double>(of.falls.size()),
                   hybrid().changes_per_day);
    keep(Rule::kBudget);
  }
}

std::optional<HybridPolicy::Want> HybridPolicy::wanted(std::uint32_t container, Resource resource,
                                                       bool is_crash, WallTime now) {
  std::optional<Want> want = base(container, resource, now);
  if (!want && (is_crash || state(container, resource).target)) want.emplace().rule = Rule::kHold;
  if (!want) return std::nullopt;
  raise_for_usage(container, resource, now, *want);
  raise_for_growth(container, resource, *want);
  if (is_crash) raise_for_crash(container, resource, now, *want);
  const auto min = static_cast<double>(minimum(resource));
  if (want->amount < min) {
    want->chain.add(Stage::kMinimum, min, min);
    want->amount = min;
  }
  keep_calm(container, resource, now, *want);
  return want;
}

std::optional<Policy::Estimate> HybridPolicy::estimate_of(std::uint32_t container,
                                                          Resource resource, bool is_crash,
                                                          WallTime now, Reason& reason) {
  OfResource& of = state(container, resource);
  const auto usage = watch_.highest(roster(), container, resource, now - window(resource));
  watch_growth(container, resource, now);
  const std::optional<Want> want = wanted(container, resource, is_crash, now);
  of.has_news = false;
  if (!want) return std::nullopt;
  reason = {want->rule, want->chain};
  // Cut to whole units, but what is kept covers what is used.
  const bool covers = usage && *usage <= want->amount;
  const std::int64_t target = whole_target(want->amount, covers ? usage : std::optional<double>());
  if (static_cast<double>(target) != want->amount) {
    reason.chain.add(Stage::kWhole, 0, static_cast<double>(target));
  }
  if (!of.target || static_cast<std::int64_t>(*of.target) != target) {
    if (of.target && static_cast<double>(target) < *of.target) {
      of.falls.push_back(now);
    } else if (want->rule != Rule::kStartup) {
      of.rose = now;
    }
    of.target = static_cast<double>(target);
    containers_[container].since = now;
  }
  return Estimate{
      .target = target,
      .lower = whole_amount(static_cast<double>(target) * hybrid().lower_bound_fraction),
      .upper = whole_amount(static_cast<double>(target) * hybrid().upper_bound_factor)};
}

Policy::Estimates HybridPolicy::estimate(std::uint32_t container, WallTime now) {
  const bool crashes = is_crash(container, now);
  if (!crashes) take_back(container, now);
  Estimates estimates;
  estimates.cpu = estimate_of(container, Resource::kCpu, crashes, now, estimates.cpu_reason);
  estimates.memory =
      estimate_of(container, Resource::kMemory, crashes, now, estimates.memory_reason);
  estimates.since = containers_[container].since;
  return estimates;
}

}  // namespace bellows::recommender
