#include "recommender/core/policy.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "base/quantity_text.hpp"
#include "base/timestamp_text.hpp"
#include "json/writer.hpp"
#include "recommender/core/capping.hpp"
#include "recommender/core/go_arithmetic.hpp"
#include "recommender/core/history.hpp"

namespace bellows::recommender {

namespace {

constexpr double kMaxCores = 1e5;

std::string_view name_of(Resource resource) {
  return resource == Resource::kCpu ? "cpu-cores" : "memory-bytes";
}

Error malformed(const std::string& culprit, std::string_view field, const std::string& value,
                const std::string& want) {
  return {ErrorKind::kMalformed, culprit, std::string(field) + " " + value + ": want " + want};
}

/// Checks the amount. A usage beyond any real machine is an error of its source.
Result<void> check_amount(const std::string& culprit, const Usage& usage) {
  const bool is_cpu = usage.resource == Resource::kCpu;
  const double max = is_cpu ? kMaxCores : static_cast<double>(kMaxAmount);
  if (usage.amount >= 0 && usage.amount <= max) return {};  // NaN is neither
  return fail(malformed(
      culprit, name_of(usage.resource),
      std::isfinite(usage.amount) ? shortest_text(usage.amount) : std::to_string(usage.amount),
      "a number from 0 to " + plain_text(max)));
}

Result<void> check_memory(const std::string& culprit, std::string_view field, Bytes memory) {
  if (memory.value >= 0 && memory.value <= kMaxAmount) return {};
  return fail(malformed(culprit, field, std::to_string(memory.value),
                        "whole bytes from 0 to " + std::to_string(kMaxAmount)));
}

}  // namespace

Policy::Policy(config::RecommenderPolicy kind, std::shared_ptr<const WorkloadSettings> settings,
               History* history)
    : kind_(kind),
      settings_(std::move(settings)),
      container_policies_(settings_->containers),
      history_(history) {}

void Policy::add_container_settings(std::uint32_t container) {
  const auto& containers = registry_.containers();
  container_settings_.push_back(settings_of(containers[container].name, *settings_));
  container_settings_.back().policy = policy_of(containers[container].name, container_policies_);
  const auto place = std::lower_bound(
      by_name_.begin(), by_name_.end(), container,
      [&](std::uint32_t a, std::uint32_t b) { return containers[a].name < containers[b].name; });
  by_name_.insert(place, container);
  on_container(container);
}

InstanceId Policy::add_instance(const PodName& replica, const ContainerName& container,
                                WallTime now) {
  const InstanceRegistry::Added added = registry_.add(replica, container, now);
  const InstanceId instance = added.instance;
  if (added.is_new_container) add_container_settings(registry_.at(instance).container);
  if (added.is_new_instance) {
    latest_.resize(registry_.size());
    latest_[instance.index] = {};
    on_instance(instance, now);
  }
  return instance;
}

void Policy::remove_instance(InstanceId instance) {
  if (registry_.has(instance)) registry_.remove(instance);
}

Result<void> Policy::set_request(InstanceId instance, const Request& request, WallTime at) {
  const std::string culprit = registry_.label(instance);
  if (request.cpu.value < 0 || request.cpu.value > kMaxAmount) {
    return fail(malformed(culprit, "request cpu", to_string(request.cpu),
                          "0 or more, at most " + to_string(Millicores{kMaxAmount})));
  }
  BELLOWS_CHECKED(check_memory(culprit, "request memory", request.memory));
  const Request before = registry_.at(instance).request;
  registry_.at(instance).request = request;
  on_request(instance, before, at);
  return {};
}

Result<RecordResult> Policy::record(InstanceId instance, const Usage& usage) {
  const bool is_cpu = usage.resource == Resource::kCpu;
  const double max = is_cpu ? kMaxCores : static_cast<double>(kMaxAmount);
  if (!(usage.amount >= 0 && usage.amount <= max)) {
    BELLOWS_CHECKED(check_amount(registry_.label(instance), usage));
  }
  WallTime& latest = is_cpu ? latest_[instance.index].cpu : latest_[instance.index].memory;
  if (usage.at < latest) {
    return fail(malformed(registry_.label(instance), std::string(name_of(usage.resource)) + " at",
                          timestamp_text(usage.at),
                          "no time before the latest sample, " + timestamp_text(latest)));
  }
  if (is_cpu && usage.at == latest) {
    on_duplicate(instance, usage);
    return RecordResult::kDuplicate;
  }
  latest = usage.at;
  on_usage(instance, usage);
  return RecordResult::kRecorded;
}

Result<void> Policy::record(InstanceId instance, const Event& event) {
  if (const auto* oom = std::get_if<OomKilled>(&event.what)) {
    BELLOWS_CHECKED(check_memory(registry_.label(instance), "oom memory-bytes", oom->memory));
  }
  if (std::holds_alternative<Started>(event.what)) {
    registry_.at(instance).started = event.at;
  }
  return on_event(instance, event);
}

std::int64_t Policy::minimum(Resource resource) const {
  const auto known = std::count_if(by_name_.begin(), by_name_.end(),
                                   [this](std::uint32_t each) { return !is_forgotten(each); });
  const double share = 1. / static_cast<double>(std::max<std::ptrdiff_t>(known, 1));
  const config::RecommenderSettings& settings = settings_->settings;
  // Calculated in cores, as in VPA.
  const double min = resource == Resource::kCpu
                         ? settings.min_cpu() * 0.001 * 1000
                         : settings.min_memory() * static_cast<double>(mebibytes(1).value);
  return whole_amount(static_cast<double>(whole_amount(min)) * share);
}

Recommendation Policy::recommendation_for(std::uint32_t container, WallTime now, Bounds* bounds) {
  Estimates estimates = estimate(container, now);
  Recommendation recommendation{.container = registry_.containers()[container].name,
                                .sizes = {},
                                .cpu = estimates.cpu_reason,
                                .memory = estimates.memory_reason,
                                .since = estimates.since};
  if (!estimates.cpu && !estimates.memory) return recommendation;
  const auto amounts = [&](std::int64_t Estimate::*part) {
    Amounts both;
    if (estimates.cpu) both.cpu = Millicores{*estimates.cpu.*part};
    if (estimates.memory) both.memory = Bytes{*estimates.memory.*part};
    return both;
  };
  Sizes& sizes = recommendation.sizes.emplace();
  sizes.target = amounts(&Estimate::target);
  sizes.lower_bound = amounts(&Estimate::lower);
  sizes.upper_bound = amounts(&Estimate::upper);
  sizes.uncapped_target = sizes.target;
  CappingChains cpu{.target = &recommendation.cpu.chain};
  CappingChains memory{.target = &recommendation.memory.chain};
  if (bounds != nullptr) {
    if (estimates.cpu) bounds->cpu = bound_chains(container, Resource::kCpu, *estimates.cpu);
    if (estimates.memory) {
      bounds->memory = bound_chains(container, Resource::kMemory, *estimates.memory);
    }
    cpu = {&recommendation.cpu.chain, &bounds->cpu.lower, &bounds->cpu.upper};
    memory = {&recommendation.memory.chain, &bounds->memory.lower, &bounds->memory.upper};
  }
  post_process(sizes, cpu, memory, container_settings_[container].policy);
  return recommendation;
}

std::vector<Recommendation> Policy::recommend(WallTime now, Explanation* explanation) {
  std::vector<Recommendation> recommendations;
  recommendations.reserve(by_name_.size());
  for (const std::uint32_t container : by_name_) {
    if (container_settings_[container].policy.is_off || is_forgotten(container)) continue;
    const bool explains =
        explanation != nullptr && registry_.containers()[container].name == explanation->container;
    recommendations.push_back(explains ? explained(container, now, *explanation)
                                       : recommendation_for(container, now));
  }
  return recommendations;
}

Result<std::uint32_t> Policy::find(const ContainerName& container) const {
  if (const auto found = registry_.find(container)) return *found;
  std::string names;
  for (const std::uint32_t known : by_name_) {
    names += (names.empty() ? "" : ", ") + registry_.containers()[known].name.text();
  }
  return fail(ErrorKind::kNotFound, "container " + container.text(),
              "there is none of that name; want one of: " + (names.empty() ? "(none)" : names));
}

Error Policy::no_histograms() const {
  return {ErrorKind::kUnsupported, "policy " + std::string(name()),
          "it keeps no histograms; want vpa or hybrid for a checkpoint"};
}

Result<Checkpoint> Policy::checkpoint(const ContainerName& container, WallTime now) {
  BELLOWS_TRY(const std::uint32_t index, find(container));
  if (!keeps_histograms()) return fail(no_histograms());
  return history_->checkpoint(index, registry_, now);
}

Result<HistogramCheckpoint> Policy::running_memory(const ContainerName& container) {
  BELLOWS_TRY(const std::uint32_t index, find(container));
  if (!keeps_histograms()) return fail(no_histograms());
  return checkpoint_of(history_->known(index).memory);
}

Result<void> Policy::load(const ContainerName& container, const Checkpoint& checkpoint) {
  if (!keeps_histograms()) return fail(no_histograms());
  history_->load(container_named(container), checkpoint);
  return {};
}

/// Adds the container if it is new.
std::uint32_t Policy::container_named(const ContainerName& container) {
  if (!registry_.find(container)) add_container_settings(registry_.add_container(container));
  return *registry_.find(container);
}

void Policy::begin_with(const ContainerName& container, const PriorTarget& prior, WallTime now) {
  begin_at(container_named(container), prior, now);
}

void Policy::begin_after(Policy& earlier, WallTime now) {
  for (const std::uint32_t of : earlier.by_name_) {
    if (earlier.is_forgotten(of)) continue;
    const PriorTarget prior = earlier.prior_target(of, now);
    if (!prior.cpu && !prior.memory) continue;
    const std::uint32_t container = container_named(earlier.registry_.containers()[of].name);
    if (keeps_histograms() && earlier.keeps_histograms()) {
      history_->begin_after(container, *earlier.history_, of, now);
    }
    begin_at(container, prior, now);
  }
}

void Policy::take_replicas(const Policy& earlier) {
  for (std::uint32_t index = 0; index < earlier.registry_.size(); ++index) {
    const InstanceId of{index};
    if (!earlier.registry_.has(of)) continue;
    const Instance& known = earlier.registry_.at(of);
    const ContainerName& name = earlier.registry_.containers()[known.container].name;
    Instance& taken = registry_.at(add_instance(known.replica, name, known.started));
    taken.request = known.request;
    taken.started = known.started;
  }
}

void Policy::set_container_policies(std::vector<ContainerPolicy> policies) {
  container_policies_ = std::move(policies);
  for (const std::uint32_t container : by_name_) {
    container_settings_[container].policy =
        policy_of(registry_.containers()[container].name, container_policies_);
  }
}

std::vector<ContainerName> Policy::containers() const {
  std::vector<ContainerName> names;
  for (const std::uint32_t index : by_name_) names.push_back(registry_.containers()[index].name);
  return names;
}

std::vector<Error> Policy::policies_without_container() const {
  std::vector<Error> errors;
  for (const ContainerPolicy& policy : container_policies_) {
    if (policy.container.text() == kEveryContainer) continue;
    if (auto found = find(policy.container); !found) {
      errors.emplace_back(ErrorKind::kNotFound, "container policy " + policy.container.text(),
                          found.error().message());
    }
  }
  return errors;
}

}  // namespace bellows::recommender
