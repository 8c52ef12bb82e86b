#include "recommender/core/hybrid_policy.hpp"

#include <utility>

#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/amounts.hpp"
#include "recommender/core/describe.hpp"
#include "recommender/core/go_arithmetic.hpp"

namespace bellows::recommender {

HybridPolicy::HybridPolicy(std::shared_ptr<const WorkloadSettings> settings)
    : Policy(config::RecommenderPolicy::kHybrid, std::move(settings), &history_),
      history_(Policy::settings().settings.history) {}

void HybridPolicy::on_container(std::uint32_t /*container*/) {
  history_.add_container();
  containers_.push_back({.resources = {HybridResource(hybrid().window, kWeek),
                                       HybridResource(hybrid().window, kWeek)}});
}

void HybridPolicy::on_instance(InstanceId instance, WallTime /*now*/) {
  history_.add_instance(instance);
  replicas_.add_instance(instance);
}

/// Records a usage. Returns false for a sample of a start, which enters no histogram. A sample
/// covers the time before it, so the one at the end of the start-up belongs to it.
bool HybridPolicy::record_usage(InstanceId instance, const Usage& usage, double amount) {
  const Instance& of = registry().at(instance);
  HybridResource& resource = state(of.container, usage.resource);
  if (usage.resource == Resource::kCpu) {
    amount = resource.released.without_waiting_work(amount, hybrid().cpu_up_factor, usage.at);
  }
  replicas_.record_usage(instance, usage.resource, amount, usage.at);
  const bool is_steady =
      replicas_.has_restarted(instance) || usage.at - of.started > hybrid().startup;
  resource.record_usage(amount, usage.at, is_steady);
  return is_steady;
}

void HybridPolicy::on_duplicate(InstanceId instance, const Usage& usage) {
  record_usage(instance, usage, in_units(usage));
}

void HybridPolicy::on_usage(InstanceId instance, const Usage& usage) {
  const Instance& of = registry().at(instance);
  if (usage.resource == Resource::kCpu) history_.fetch_ahead(of.container);
  const double amount = in_units(usage);
  if (!record_usage(instance, usage, amount)) return;
  if (usage.resource == Resource::kCpu) {
    history_.add_cpu(of.container, usage.at, usage.amount);
  } else {
    history_.add_memory(instance, of.container, usage.at, static_cast<std::int64_t>(amount));
  }
}

Result<void> HybridPolicy::on_oom(InstanceId instance, const OomKilled& oom, WallTime at) {
  const std::uint32_t container = registry().at(instance).container;
  const auto needed = history_.add_oom(instance, container, at, oom.memory);
  if (!needed) return fail(oom_too_old(registry().label(instance), at));
  const Bytes most = container_settings(container).policy.max_allowed.memory.value_or(Bytes{});
  const bool is_at_maximum = most.value > 0 && oom.memory >= most;
  state(container, Resource::kMemory)
      .hold_after_oom(*needed, oom.memory, at, is_at_maximum, hybrid());
  return {};
}

Result<void> HybridPolicy::on_event(InstanceId instance, const Event& event) {
  if (const auto* oom = std::get_if<OomKilled>(&event.what)) {
    return on_oom(instance, *oom, event.at);
  }
  if (std::holds_alternative<Started>(event.what)) {
    replicas_.record_restart(instance);
  } else if (const auto* loop = std::get_if<CrashLoop>(&event.what)) {
    replicas_.set_crash_loop(instance, loop->active);
  }
  return {};
}

/// Returns true if the target may fall: there are new samples, they cover a whole window, also
/// since the last rise, and no replica is in a crash loop.
bool HybridPolicy::is_observed(const HybridResource& of, std::uint32_t container, Duration window,
                               WallTime now) const {
  const bool rose_recently = of.last_rise != WallTime::min() && now - of.last_rise < window;
  return of.has_news && of.steady.has_full_window(now) && !rose_recently &&
         replicas_.count_crash_looping(registry(), container) == 0;
}

HybridInput HybridPolicy::input_of(std::uint32_t container, Resource resource, WallTime now) {
  HybridResource& of = state(container, resource);
  const Duration window = resource_settings(hybrid(), resource).window;
  const WallTime oldest = now - window;
  HybridInput input{.resource = resource,
                    .request = request_of(registry(), container, resource),
                    .target = of.target,
                    .minimum = static_cast<double>(minimum(resource))};
  input.usage = replicas_.max_usage(registry(), container, resource, oldest);
  input.steady_usage =
      replicas_.max_usage(registry(), container, resource, oldest, now - hybrid().startup);
  of.growth.update(input.usage, now);
  input.growth = of.growth;
  input.recent_maximum = of.steady.maximum(now);
  input.startup_maximum = of.startup.maximum(now);
  input.was_never_killed =
      resource == Resource::kMemory && of.hold.killed == 0 && !history_.has_loaded(container);
  input.is_starting = has_starting(registry(), container, now, hybrid().startup);
  const Aggregate& known = history_.known(container);
  input.history = resource == Resource::kCpu ? &known.cpu : &known.memory;
  input.hold = of.hold;
  if (now < of.hold.until) input.held = of.hold.amount_at(now, window, hybrid().margin_fraction);
  if (resource == Resource::kCpu) input.released = of.released.amount_at(now);
  input.is_observed = is_observed(of, container, window, now);
  input.scale_downs = of.scale_downs_in_a_day(now);
  return input;
}

std::optional<Estimate> HybridPolicy::take(std::uint32_t container, Resource resource, WallTime now,
                                           Reason& reason) {
  const HybridInput input = input_of(container, resource, now);
  const std::optional<HybridDecision> decision = hybrid_rule(input, hybrid());
  HybridResource& of = state(container, resource);
  of.has_news = false;
  if (!decision) return std::nullopt;
  reason = {decision->rule, decision->chain};
  if (input.current() > 0) of.forget_old_scale_downs(now);
  const double up_factor = resource_settings(hybrid(), resource).up_factor;
  if (of.apply(*decision, up_factor, now)) containers_[container].since = now;
  const auto target = static_cast<double>(decision->target);
  return Estimate{.target = decision->target,
                  .lower = whole_amount(target * hybrid().lower_bound_fraction),
                  .upper = whole_amount(target * hybrid().upper_bound_factor)};
}

Estimates HybridPolicy::estimate(std::uint32_t container, WallTime now) {
  Estimates estimates;
  estimates.cpu = take(container, Resource::kCpu, now, estimates.cpu_reason);
  estimates.memory = take(container, Resource::kMemory, now, estimates.memory_reason);
  estimates.since = containers_[container].since;
  return estimates;
}

PriorTarget HybridPolicy::prior_target(std::uint32_t container, WallTime now) {
  const HybridResource& cpu = state(container, Resource::kCpu);
  const HybridResource& memory = state(container, Resource::kMemory);
  const bool is_held = now < memory.hold.until;
  return {cpu.target, memory.target, is_held ? memory.hold.killed : 0};
}

void HybridPolicy::begin_at(std::uint32_t container, const PriorTarget& prior, WallTime now) {
  state(container, Resource::kCpu).begin_at(prior.cpu, now);
  HybridResource& memory = state(container, Resource::kMemory);
  memory.begin_at(prior.memory, now);
  if (prior.killed > 0) memory.begin_held(prior.killed, now, hybrid().oom_hold);
  containers_[container].since = now;
}

void HybridPolicy::describe(std::uint32_t container, Resource resource,
                            std::vector<std::string>& lines) {
  describe_history(history_.known(container), resource, lines);
}

BoundChains HybridPolicy::bound_chains(std::uint32_t /*container*/, Resource /*resource*/,
                                       const Estimate& estimate) {
  return {chain_of_bound(estimate.target, hybrid().lower_bound_fraction, estimate.lower),
          chain_of_bound(estimate.target, hybrid().upper_bound_factor, estimate.upper)};
}

void HybridPolicy::save_container(std::uint32_t container, json::Writer& line) const {
  history_.save_container(container, line);
  containers_[container].save(line);
}

void HybridPolicy::save_instance(InstanceId instance, json::Writer& line) const {
  history_.save_instance(instance, line);
  replicas_.save(instance, line);
}

Result<void> HybridPolicy::restore_container(std::uint32_t container, const json::Object& saved) {
  BELLOWS_CHECKED(history_.restore_container(container, saved));
  return containers_[container].restore(saved);
}

Result<void> HybridPolicy::restore_instance(InstanceId instance, const json::Object& saved) {
  BELLOWS_CHECKED(history_.restore_instance(instance, saved));
  return replicas_.restore(instance, saved);
}

}  // namespace bellows::recommender
