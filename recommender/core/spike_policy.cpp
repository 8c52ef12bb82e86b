#include "recommender/core/spike_policy.hpp"

#include <algorithm>
#include <cmath>

#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/amounts.hpp"
#include "recommender/core/describe.hpp"
#include "recommender/core/go_arithmetic.hpp"
#include "recommender/core/saved.hpp"

namespace bellows::recommender {

namespace {

constexpr double kUpperBound = 2;  // of the target; the lower bound is as far below it

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
  Container& container = containers_[registry().at(instance).container];
  const double amount = in_units(usage);
  replicas_.record_usage(instance, usage.resource, amount, usage.at);
  container.resources[index_of(usage.resource)].maximum.add(amount, usage.at);
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
  return replicas_.count_crash_looping(registry(), container) > 0;
}

SpikeInput SpikePolicy::input_of(std::uint32_t container, Resource resource, bool is_crash,
                                 WallTime now) const {
  const config::SpikeSettings& spike = container_settings(container).spike;
  const OfResource& state = containers_[container].resources[index_of(resource)];
  SpikeInput input{
      .usage = replicas_.max_usage(registry(), container, resource, now - spike.monitor_window),
      .request = request_of(registry(), container, resource),
      .maximum = state.maximum.maximum(now),
      .is_crash = is_crash,
      .may_fall = state.maximum.has_full_window(now) && !is_looping(container) &&
                  !containers_[container].crashes.is_waiting(now)};
  if (state.oom > 0) input.usage = std::max(input.usage.value_or(0), state.oom);
  return input;
}

/// Returns the target after margin, rounding and minimum, and adds them to the chain.
double SpikePolicy::amount_to_publish(SpikeDecision& decision, std::uint32_t container,
                                      Resource resource, const SpikeInput& input) const {
  const double margin = container_settings(container).spike.margin_fraction;
  double target = *decision.target;
  const auto become = [&](Stage stage, double by, double amount) {
    if (amount == target) return;
    target = amount;
    decision.chain.add(stage, by, target);
  };
  become(Stage::kMargin, margin, target + std::trunc(target * margin));
  become(Stage::kWhole, 0, static_cast<double>(whole_target(target, input.usage)));
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
  const SpikeInput input = input_of(container, resource, is_crash, now);
  SpikeDecision decision = spike_rule(input, container_settings(container).spike);
  std::optional<double> target;
  // A doubling that is not applied yet must not fall to the target of the usage alone.
  const bool is_doubling = !is_crash && containers_[container].crashes.is_waiting(now);
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
  reason = {decision.rule, decision.chain};
  if (!target) return std::nullopt;
  return Estimate{.target = whole_amount(*target),
                  .lower = whole_amount(*target / kUpperBound),
                  .upper = whole_amount(*target * kUpperBound)};
}

Estimates SpikePolicy::estimate(std::uint32_t container, WallTime now) {
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

BoundChains SpikePolicy::bound_chains(std::uint32_t /*container*/, Resource /*resource*/,
                                      const Estimate& estimate) {
  return {chain_of_bound(estimate.target, 1 / kUpperBound, estimate.lower),
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
  return {};
}

Result<void> SpikePolicy::restore_instance(InstanceId instance, const json::Object& saved) {
  return replicas_.restore(instance, saved);
}

}  // namespace bellows::recommender
