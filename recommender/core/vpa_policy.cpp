#include "recommender/core/vpa_policy.hpp"

#include "base/number_text.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/describe.hpp"
#include "recommender/core/estimator.hpp"
#include "recommender/core/saved.hpp"
#include "recommender/core/timestamp.hpp"

namespace bellows::recommender {

VpaPolicy::VpaPolicy(std::shared_ptr<const WorkloadSettings> settings)
    : Policy(std::move(settings)), history_(Policy::settings().settings.history) {}

void VpaPolicy::on_container(std::uint32_t /*container*/) {
  history_.add_container();
  sights_.emplace_back();
}

void VpaPolicy::on_instance(InstanceId instance, WallTime now) {
  history_.add_instance(instance);
  seen(roster().at(instance).container, now);
}

void VpaPolicy::seen(std::uint32_t container, WallTime at) {
  Sight& sight = sights_[container];
  if (sight.since == WallTime::min() || sight.is_lost) sight = {at, false};
}

bool VpaPolicy::is_forgotten(std::uint32_t container) const {
  return sights_[container].is_lost && !history_.has_loaded(container);
}

bool VpaPolicy::is_stale(std::uint32_t container, WallTime now) const {
  const Aggregate& taught = history_.taught(container);
  const bool is_empty = taught.samples == 0;
  if (is_empty && roster().containers()[container].instances.empty()) return true;
  const WallTime last = is_empty ? sights_[container].since : taught.last_sample;
  return now - last >= settings().settings.history.forgotten_after();
}

void VpaPolicy::forget_stale(WallTime now) {
  for (std::uint32_t container = 0; container < sights_.size(); ++container) {
    Sight& sight = sights_[container];
    if (sight.is_lost || sight.since == WallTime::min() || !is_stale(container, now)) continue;
    history_.forget(container);
    sight.is_lost = true;
  }
}

void VpaPolicy::on_usage(InstanceId instance, const Usage& usage) {
  const Instance& of = roster().at(instance);
  if (usage.resource == Resource::kCpu) history_.fetch_ahead(of.container);
  seen(of.container, usage.at);
  if (usage.resource == Resource::kCpu) {
    history_.add_cpu(of.container, usage.at, usage.amount, of.request.cpu);
  } else {
    history_.add_memory(instance, of.container, usage.at, static_cast<std::int64_t>(usage.amount));
  }
}

Result<void> VpaPolicy::on_event(InstanceId instance, const Event& event) {
  const auto* oom = std::get_if<OomKilled>(&event.what);
  if (oom == nullptr) return {};  // a crash for another reason teaches VPA nothing
  const std::uint32_t container = roster().at(instance).container;
  if (history_.add_oom(instance, container, event.at, oom->memory)) {
    seen(container, event.at);
    return {};
  }
  return fail(ErrorKind::kMalformed, roster().label(instance),
              "oom at " + timestamp_text(event.at) +
                  ": want a time not more than one memory-aggregation-interval before the latest "
                  "memory sample");
}

Policy::Estimates VpaPolicy::estimate(std::uint32_t container, WallTime /*now*/) {
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

void VpaPolicy::describe(std::uint32_t container, Resource resource,
                         std::vector<std::string>& lines) {
  const Aggregate& known = history_.known(container);
  const bool is_cpu = resource == Resource::kCpu;
  if (is_cpu) describe_samples(known, lines);
  describe_histogram(is_cpu ? known.cpu : known.memory, resource, lines);
  const config::HistorySettings& settings = Policy::settings().settings.history;
  lines.push_back("  confidence " +
                  readable_text(known.confidence(is_cpu ? settings.confidence_interval_cpu
                                                        : settings.confidence_interval_memory)));
}

Policy::BoundChains VpaPolicy::bound_chains(std::uint32_t container, Resource resource,
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
  saved::write(line, "seen-since", sights_[container].since);
  line.flag("forgotten", sights_[container].is_lost);
}

void VpaPolicy::save_instance(InstanceId instance, json::Writer& line) const {
  history_.save_instance(instance, line);
}

Result<void> VpaPolicy::restore_container(std::uint32_t container, const json::Object& saved) {
  BELLOWS_CHECKED(history_.restore_container(container, saved));
  Sight& sight = sights_[container];
  if (!saved.has("seen-since")) return {};  // a state of before there was such a key
  BELLOWS_TRY(sight.since, saved::read_time(saved, "seen-since"));
  BELLOWS_TRY(sight.is_lost, saved.flag("forgotten"));
  return {};
}

Result<void> VpaPolicy::restore_instance(InstanceId instance, const json::Object& saved) {
  return history_.restore_instance(instance, saved);
}

}  // namespace bellows::recommender
