#include "recommender/core/spike_policy.hpp"

#include <algorithm>
#include <cmath>

#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/amounts.hpp"
#include "recommender/core/capping.hpp"
#include "recommender/core/describe.hpp"
#include "recommender/core/go_arithmetic.hpp"
#include "recommender/core/saved.hpp"

namespace bellows::recommender {

namespace {

constexpr double kUpperBound = 2;

}  // namespace

void SpikePolicy::on_container(std::uint32_t container) {
  const config::SpikeSettings& spike = container_settings(container).spike;
  const OfResource none{LocalMaximum(spike.window, spike.monitor_window), {}, 0};
  containers_.push_back({{none, none}, {}, WallTime::min()});
}

void SpikePolicy::on_instance(InstanceId instance, WallTime /*now*/) {
  replicas_.add_instance(instance);
}

void SpikePolicy::on_request(InstanceId instance, const Request& before, WallTime /*at*/) {
  const Instance& now = registry().at(instance);
  if (now.request != before) containers_[now.container].crashes.applied();
}

void SpikePolicy::on_usage(InstanceId instance, const Usage& usage) {
  const std::uint32_t index = registry().at(instance).container;
  Container& container = containers_[index];
  const double amount = in_units(usage);
  replicas_.record_usage(instance, usage.resource, amount, usage.at);
  const std::size_t resource = index_of(usage.resource);
  const bool is_new = container.resources[resource].maximum.add(amount, usage.at);
  // Aligned windows begin together: the memory window begins with its sample of this time, or else
  // with its next one.
  if (is_new && container_settings(index).spike.align_windows && resource == 0) {
    LocalMaximum& memory = container.resources[1].maximum;
    memory.expire();
    const auto same = replicas_.max_usage(registry(), index, Resource::kMemory, usage.at);
    if (same) memory.add(*same, usage.at);
  }
}

Result<void> SpikePolicy::on_event(InstanceId instance, const Event& event) {
  Container& container = containers_[registry().at(instance).container];
  if (const auto* oom = std::get_if<OomKilled>(&event.what)) {
    OfResource& memory = container.resources[index_of(Resource::kMemory)];
    memory.oom = std::max(memory.oom, static_cast<double>(oom->memory.value));
    memory.maximum.add(static_cast<double>(oom->memory.value), event.at);
  } else if (std::holds_alternative<Crashed>(event.what)) {
    container.crashes.crashed();
  } else if (const auto* loop = std::get_if<CrashLoop>(&event.what)) {
    replicas_.set_crash_loop(instance, loop->active);
  }
  return {};
}

bool SpikePolicy::is_looping(std::uint32_t container) const {
  return replicas_.is_looping(registry(), container,
                              container_settings(container).spike.crash_loop_quorum);
}

SpikeInput SpikePolicy::input_of(std::uint32_t container, Resource resource, bool is_crash,
                                 WallTime now) const {
  const config::SpikeSettings& spike = container_settings(container).spike;
  const OfResource& state = containers_[container].resources[index_of(resource)];
  SpikeInput input{
      .usage = replicas_.max_usage(registry(), container, resource, now - spike.monitor_window),
      .request = own_request(container, resource),
      .maximum = state.maximum.maximum(now),
      .is_crash = is_crash,
      .may_fall = state.maximum.has_full_window(now) && !is_looping(container) &&
                  !containers_[container].crashes.is_waiting(now, spike)};
  if (state.oom > 0) input.usage = std::max(input.usage.value_or(0), state.oom);
  return input;
}

/// Returns the target after margin, rounding and minimum, and adds them to the chain.
double SpikePolicy::amount_to_publish(SpikeDecision& decision, std::uint32_t container,
                                      Resource resource, const SpikeInput& input) const {
  const config::SpikeSettings& spike = container_settings(container).spike;
  double target = *decision.target;
  const auto become = [&](Stage stage, double by, double amount) {
    if (amount == target) return;
    target = amount;
    decision.chain.add(stage, by, target);
  };
  become(Stage::kMargin, spike.margin_fraction,
         target + std::trunc(target * spike.margin_fraction));
  // A truncated stable target would be one at which the usage scales up again.
  const bool must_last = spike.auto_stable && decision.rule == Rule::kScaleDown;
  become(Stage::kWhole, 0,
         static_cast<double>(whole_target(must_last ? std::ceil(target) : target, input.usage)));
  const auto min = static_cast<double>(minimum(resource));
  become(Stage::kMinimum, min, std::max(target, min));
  return target;
}

/// Returns the last recommendation, unless the usage would scale it up at once: then the request,
/// which is within the thresholds.
std::optional<double> SpikePolicy::kept(std::uint32_t container, Resource resource,
                                        const SpikeInput& input) const {
  const auto& published = containers_[container].resources[index_of(resource)].published;
  const double threshold = container_settings(container).spike.threshold_scale_up;
  if (published && input.usage.value_or(0) <= part_of(threshold, *published)) return published;
  if (input.request > 0) return input.request;
  return published;
}

std::optional<Estimate> SpikePolicy::estimate_of(std::uint32_t container, Resource resource,
                                                 bool is_crash, WallTime now, Reason& reason) {
  OfResource& state = containers_[container].resources[index_of(resource)];
  const config::SpikeSettings& spike = container_settings(container).spike;
  const SpikeInput input = input_of(container, resource, is_crash, now);
  SpikeDecision decision = spike_rule(input, spike);
  std::optional<double> target;
  // A doubling that is not applied yet must not fall to the target of the usage alone.
  const bool is_doubling = !is_crash && containers_[container].crashes.is_waiting(now, spike);
  if (decision.target) target = amount_to_publish(decision, container, resource, input);
  if (is_doubling && state.published && target.value_or(0) < *state.published) {
    target = state.published;
    decision.rule = Rule::kHold;
    decision.chain.add(Stage::kKept, 0, *target);
  } else if (target) {
    if (target != state.published) containers_[container].since = now;
    state.published = target;
    state.oom = 0;
  } else {
    target = kept(container, resource, input);
    if (target) decision.chain.add(Stage::kKept, 0, *target);
  }
  if (target && resource == Resource::kCpu && containers_[container].boost.is_on) {
    target = boosted(container, *target, now, decision.chain);
  }
  reason = {decision.rule, decision.chain};
  if (!target) return std::nullopt;
  return Estimate{.target = whole_amount(*target),
                  .lower = whole_amount(*target * spike.lower_bound_fraction),
                  .upper = whole_amount(*target * kUpperBound)};
}

/// Begins and ends the boost with starting replicas; it is over when the request is restored.
void SpikePolicy::update_boost(std::uint32_t container, WallTime now) {
  Container& of = containers_[container];
  const config::SpikeSettings& spike = container_settings(container).spike;
  const bool is_on = spike.startup_boost_factor > 1 &&
                     has_starting(registry(), container, now, spike.startup_boost_duration);
  if (!is_on && !of.boost.is_on && of.boost.max == 0) return;
  const double request = request_of(registry(), container, Resource::kCpu);
  if (is_on && of.boost.max == 0) of.boost.before = request;
  if (is_on != of.boost.is_on && of.since != WallTime::min()) of.since = now;
  of.boost.is_on = is_on;
  if (!is_on && own_request(container, Resource::kCpu) == request) of.boost = {};
}

/// Returns the request without an applied boost, because otherwise the next boost would be a
/// multiple of it.
double SpikePolicy::own_request(std::uint32_t container, Resource resource) const {
  const double request = request_of(registry(), container, resource);
  const Boost& boost = containers_[container].boost;
  if (resource != Resource::kCpu || boost.max == 0) return request;
  // The request before the boost may equal the request that the boost has reached since.
  if (request == boost.before && request != boost.newest) return request;
  const double own = containers_[container].resources[0].published.value_or(request);
  return own < request && request <= boost.max ? own : request;
}

double SpikePolicy::boosted(std::uint32_t container, double target, WallTime now, Chain& chain) {
  Container& of = containers_[container];
  std::optional<double>& published = of.resources[index_of(Resource::kCpu)].published;
  if (!published) published = target;  // the target after the boost
  if (of.since == WallTime::min()) of.since = now;
  const double factor = container_settings(container).spike.startup_boost_factor;
  const std::int64_t amount = whole_amount(target * factor);
  chain.add(Stage::kBoost, factor, static_cast<double>(amount));
  // The request that results from it is rounded and capped.
  Sizes sizes;
  sizes.target.cpu = sizes.lower_bound.cpu = sizes.upper_bound.cpu = sizes.uncapped_target.cpu =
      Millicores{amount};
  post_process(sizes, {}, {}, container_settings(container), settings().settings);
  if (sizes.target.cpu) {
    of.boost.newest = static_cast<double>(sizes.target.cpu->value);
    of.boost.max = std::max(of.boost.max, of.boost.newest);
  }
  return static_cast<double>(amount);
}

Estimates SpikePolicy::estimate(std::uint32_t container, WallTime now) {
  update_boost(container, now);
  const bool is_crash = containers_[container].crashes.fires(is_looping(container), now,
                                                             container_settings(container).spike);
  Estimates estimates;
  estimates.cpu = estimate_of(container, Resource::kCpu, is_crash, now, estimates.cpu_reason);
  estimates.memory =
      estimate_of(container, Resource::kMemory, is_crash, now, estimates.memory_reason);
  estimates.since = containers_[container].since;
  if (estimates.since == WallTime::min()) {  // no rule has fired yet: nothing is published
    estimates.cpu.reset();
    estimates.memory.reset();
  }
  return estimates;
}

PriorTarget SpikePolicy::prior_target(std::uint32_t container, WallTime /*now*/) {
  const Container& of = containers_[container];
  return {of.resources[0].published, of.resources[1].published};
}

void SpikePolicy::begin_at(std::uint32_t container, const PriorTarget& prior, WallTime now) {
  Container& of = containers_[container];
  if (!prior.cpu && !prior.memory) return;
  of.resources[index_of(Resource::kCpu)].published = prior.cpu;
  of.resources[index_of(Resource::kMemory)].published = prior.memory;
  of.since = now;
}

void SpikePolicy::describe(std::uint32_t /*container*/, Resource resource,
                           std::vector<std::string>& lines) {
  lines.push_back(std::string(kResourceNames[index_of(resource)]) + ":");
}

BoundChains SpikePolicy::bound_chains(std::uint32_t container, Resource /*resource*/,
                                      const Estimate& estimate) {
  const double lower = container_settings(container).spike.lower_bound_fraction;
  return {chain_of_bound(estimate.target, lower, estimate.lower),
          chain_of_bound(estimate.target, kUpperBound, estimate.upper)};
}

void SpikePolicy::save_container(std::uint32_t container, json::Writer& line) const {
  const Container& saved = containers_[container];
  for (std::size_t i = 0; i < kResourceNames.size(); ++i) {
    line.open(kResourceNames[i]);
    saved.resources[i].maximum.save(line, "maximum");
    if (saved.resources[i].published) line.number("published", *saved.resources[i].published);
    line.number("oom", saved.resources[i].oom).close();
  }
  saved.crashes.save(line);
  line.open("boost").flag("on", saved.boost.is_on).number("before", saved.boost.before);
  line.number("newest", saved.boost.newest).number("most", saved.boost.max).close();
  saved::write(line, "since", saved.since);
}

void SpikePolicy::save_instance(InstanceId instance, json::Writer& line) const {
  replicas_.save(instance, line);
}

Result<void> SpikePolicy::restore_container(std::uint32_t container, const json::Object& saved) {
  Container& state = containers_[container];
  for (std::size_t i = 0; i < kResourceNames.size(); ++i) {
    BELLOWS_TRY(const auto object, saved.object(kResourceNames[i]));
    BELLOWS_CHECKED(state.resources[i].maximum.restore(object, "maximum"));
    if (object.has("published")) {
      BELLOWS_TRY(state.resources[i].published, object.number("published", {.min = 0}));
    }
    BELLOWS_TRY(state.resources[i].oom, object.number("oom", {.min = 0}));
  }
  BELLOWS_CHECKED(state.crashes.restore(saved));
  BELLOWS_TRY(state.since, saved::read_time(saved, "since"));
  BELLOWS_TRY(const auto boost, saved.object("boost"));
  BELLOWS_TRY(state.boost.is_on, boost.flag("on"));
  BELLOWS_TRY(state.boost.before, boost.number("before", {.min = 0}));
  BELLOWS_TRY(state.boost.max, boost.number("most", {.min = 0}));
  BELLOWS_TRY(state.boost.newest, boost.number("newest", {.min = 0}));
  return {};
}

Result<void> SpikePolicy::restore_instance(InstanceId instance, const json::Object& saved) {
  return replicas_.restore(instance, saved);
}

}  // namespace bellows::recommender
