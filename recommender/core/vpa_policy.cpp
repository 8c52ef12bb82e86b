#include "recommender/core/vpa_policy.hpp"

#include "base/number_text.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/describe.hpp"
#include "recommender/core/estimator.hpp"
#include "recommender/core/saved.hpp"

namespace bellows::recommender {

VpaPolicy::VpaPolicy(std::shared_ptr<const WorkloadSettings> settings)
    : Policy(config::RecommenderPolicy::kVpa, std::move(settings), &history_),
      history_(Policy::settings().settings.history) {}

void VpaPolicy::on_container(std::uint32_t /*container*/) {
  history_.add_container();
  tracking_.emplace_back();
}

void VpaPolicy::on_instance(InstanceId instance, WallTime now) {
  history_.add_instance(instance);
  mark_seen(registry().at(instance).container, now);
}

void VpaPolicy::mark_seen(std::uint32_t container, WallTime at) {
  Tracking& tracking = tracking_[container];
  if (tracking.since == WallTime::min() || tracking.is_forgotten) tracking = {at, false};
}

bool VpaPolicy::is_forgotten(std::uint32_t container) const {
  return tracking_[container].is_forgotten && !history_.has_loaded(container);
}

bool VpaPolicy::is_stale(std::uint32_t container, WallTime now) const {
  const Aggregate& learned = history_.learned(container);
  const bool is_empty = learned.samples == 0;
  if (is_empty && registry().containers()[container].instances.empty()) return true;
  const WallTime last = is_empty ? tracking_[container].since : learned.last_sample;
  return now - last >= settings().settings.history.forgotten_after();
}

void VpaPolicy::forget_stale(WallTime now) {
  for (std::uint32_t container = 0; container < tracking_.size(); ++container) {
    Tracking& tracking = tracking_[container];
    if (tracking.is_forgotten || tracking.since == WallTime::min() || !is_stale(container, now))
      continue;
    history_.forget(container);
    tracking.is_forgotten = true;
  }
}

void VpaPolicy::on_usage(InstanceId instance, const Usage& usage) {
  const Instance& of = registry().at(instance);
  if (usage.resource == Resource::kCpu) history_.fetch_ahead(of.container);
  mark_seen(of.container, usage.at);
  if (usage.resource == Resource::kCpu) {
    history_.add_cpu(of.container, usage.at, usage.amount);
  } else {
    history_.add_memory(instance, of.container, usage.at, static_cast<std::int64_t>(usage.amount));
  }
}

Result<void> VpaPolicy::on_event(InstanceId instance, const Event& event) {
  const auto* oom = std::get_if<OomKilled>(&event.what);
  if (oom == nullptr) return {};  // VPA ignores other crashes
  const std::uint32_t container = registry().at(instance).container;
  if (!history_.add_oom(instance, container, event.at, oom->memory)) {
    return fail(oom_too_old(registry().label(instance), event.at));
  }
  mark_seen(container, event.at);
  return {};
}

Estimates VpaPolicy::estimate(std::uint32_t container, WallTime /*now*/) {
  const Aggregate& known = history_.known(container);
  const config::HistorySettings& settings = Policy::settings().settings.history;
  Estimates estimates;
  const auto all = [&](Resource resource, const Histogram& histogram, Reason& reason) {
    const Estimators estimators = vpa_estimators(settings, known, resource, minimum(resource));
    Chain of_bounds;
    Chain of_upper;
    reason.rule = histogram.empty() ? Rule::kNoSamples : Rule::kPercentile;
    return Estimate{.target = estimators.target.estimate(histogram, resource, reason.chain),
                    .lower = estimators.lower.estimate(histogram, resource, of_bounds),
                    .upper = estimators.upper.estimate(histogram, resource, of_upper)};
  };
  estimates.cpu = all(Resource::kCpu, known.cpu, estimates.cpu_reason);
  estimates.memory = all(Resource::kMemory, known.memory, estimates.memory_reason);
  return estimates;
}

/// Returns the target. The estimate of a resource without samples is the minimum.
PriorTarget VpaPolicy::prior_target(std::uint32_t container, WallTime now) {
  const Aggregate& known = history_.known(container);
  const bool knows_cpu = !known.cpu.empty();
  const bool knows_memory = !known.memory.empty();
  const Estimates estimates = estimate(container, now);
  PriorTarget prior;
  if (knows_cpu) prior.cpu = static_cast<double>(estimates.cpu->target);
  if (knows_memory) prior.memory = static_cast<double>(estimates.memory->target);
  return prior;
}

void VpaPolicy::describe(std::uint32_t container, Resource resource,
                         std::vector<std::string>& lines) {
  const Aggregate& known = history_.known(container);
  const bool is_cpu = resource == Resource::kCpu;
  describe_history(known, resource, lines);
  const config::HistorySettings& settings = Policy::settings().settings.history;
  lines.push_back("  confidence " +
                  readable_text(known.confidence(is_cpu ? settings.confidence_interval_cpu
                                                        : settings.confidence_interval_memory)));
}

BoundChains VpaPolicy::bound_chains(std::uint32_t container, Resource resource,
                                    const Estimate& /*estimate*/) {
  const Aggregate& known = history_.known(container);
  const Histogram& histogram = resource == Resource::kCpu ? known.cpu : known.memory;
  const Estimators estimators =
      vpa_estimators(settings().settings.history, known, resource, minimum(resource));
  BoundChains chains;
  estimators.lower.estimate(histogram, resource, chains.lower);
  estimators.upper.estimate(histogram, resource, chains.upper);
  return chains;
}

void VpaPolicy::save_container(std::uint32_t container, json::Writer& line) const {
  history_.save_container(container, line);
  saved::write(line, "seen-since", tracking_[container].since);
  line.flag("forgotten", tracking_[container].is_forgotten);
}

void VpaPolicy::save_instance(InstanceId instance, json::Writer& line) const {
  history_.save_instance(instance, line);
}

Result<void> VpaPolicy::restore_container(std::uint32_t container, const json::Object& saved) {
  BELLOWS_CHECKED(history_.restore_container(container, saved));
  Tracking& tracking = tracking_[container];
  BELLOWS_TRY(tracking.since, saved::read_time(saved, "seen-since"));
  BELLOWS_TRY(tracking.is_forgotten, saved.flag("forgotten"));
  return {};
}

Result<void> VpaPolicy::restore_instance(InstanceId instance, const json::Object& saved) {
  return history_.restore_instance(instance, saved);
}

}  // namespace bellows::recommender
