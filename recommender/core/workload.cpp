#include "recommender/core/workload.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/quantity_text.hpp"

namespace bellows::recommender {

namespace {

template <class... Handlers>
struct Each : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Each(Handlers...) -> Each<Handlers...>;

Result<void> feed(Policy& policy, const Observation& observation) {
  const InstanceId instance =
      policy.add_instance(observation.replica, observation.container, observation.at);
  return std::visit(Each{[&](const Usage& usage) -> Result<void> {
                           BELLOWS_TRY([[maybe_unused]] const RecordResult result,
                                       policy.record(instance, usage));
                           return {};
                         },
                         [&](const Event& event) { return policy.record(instance, event); },
                         [&](const Request& request) {
                           return policy.set_request(instance, request, observation.at);
                         },
                         [&](const Gone&) -> Result<void> {
                           policy.remove_instance(instance);
                           return {};
                         }},
                    observation.what);
}

std::string target_text(const Recommendation& recommendation) {
  const Amounts target = recommendation.sizes ? recommendation.sizes->target : Amounts();
  std::string text;
  if (target.cpu) text += "cpu " + to_string(*target.cpu);
  if (target.memory) {
    text += std::string(text.empty() ? "" : ", ") + "memory " +
            std::to_string(target.memory->value) + " bytes";
  }
  return text.empty() ? "nothing" : text;
}

Result<std::vector<std::string>> explained(const PolicyRun& run, const ContainerName& container,
                                           WallTime now) {
  BELLOWS_TRY(Explanation explanation, run.policy->explain(container, now));
  const Recommendation* recommendation = run.find(container);
  if (recommendation != nullptr && recommendation->sizes != explanation.sizes) {
    explanation.lines.push_back("in force until the next recommendation: " +
                                target_text(*recommendation));
  }
  return std::move(explanation.lines);
}

}  // namespace

const Recommendation* PolicyRun::find(const ContainerName& container) const {
  const auto place = std::ranges::lower_bound(last, container, {}, &Recommendation::container);
  return place == last.end() || place->container != container ? nullptr : &*place;
}

Workload::Workload(RevisionId id, std::shared_ptr<const WorkloadSettings> settings,
                   const std::vector<config::RecommenderPolicy>& policies)
    : id_(std::move(id)), settings_(std::move(settings)), containers_(settings_->containers) {
  for (const config::RecommenderPolicy policy : policies) {
    runs_.push_back({make_policy(policy, settings_), {}});
  }
}

void Workload::run(const std::vector<config::RecommenderPolicy>& policies, WallTime now) {
  if (std::ranges::equal(policies, runs_, {}, {},
                         [](const PolicyRun& run) { return run.policy->kind(); })) {
    return;
  }
  std::vector<PolicyRun> next;
  for (const config::RecommenderPolicy policy : policies) {
    PolicyRun* const running = find(policy);
    if (running != nullptr && running != runs_.data()) {
      next.push_back(std::move(*running));
      continue;
    }
    if (running != nullptr) continue;
    PolicyRun& made = next.emplace_back(PolicyRun{make_policy(policy, settings_), {}});
    made.policy->set_container_policies(containers_);
    made.policy->begin_after(*runs_.front().policy, now);
    made.policy->take_replicas(*runs_.front().policy);
  }
  // The previous chosen policy was needed until here.
  const auto place = std::ranges::find(policies, runs_.front().policy->kind());
  if (place != policies.end()) {
    next.insert(next.begin() + (place - policies.begin()), std::move(runs_.front()));
  }
  runs_ = std::move(next);
}

void Workload::limit(std::vector<ContainerPolicy> containers) {
  if (containers == containers_) return;
  containers_ = std::move(containers);
  for (PolicyRun& run : runs_) run.policy->set_container_policies(containers_);
}

Result<void> Workload::change(std::shared_ptr<const WorkloadSettings> settings, WallTime now) {
  settings_ = std::move(settings);
  containers_ = settings_->containers;
  Result<void> first_error;
  for (PolicyRun& run : runs_) {
    auto next = make_policy(run.policy->kind(), settings_);
    auto restored = next->restore(run.policy->save(now));
    if (restored) {
      run.policy = std::move(next);
    } else if (first_error) {
      first_error = std::move(restored);
    }
  }
  return first_error;
}

void Workload::begin_with(const ContainerName& container, const PriorTarget& prior, WallTime now) {
  for (PolicyRun& run : runs_) {
    if (run.policy->kind() == config::RecommenderPolicy::kVpa) continue;
    run.policy->begin_with(container, prior, now);
  }
}

void Workload::begin_after(Workload& earlier, WallTime now) {
  for (PolicyRun& run : runs_) {
    const PolicyRun* const same = earlier.find(run.policy->kind());
    run.policy->begin_after(same != nullptr ? *same->policy : *earlier.runs_.front().policy, now);
  }
}

PolicyRun* Workload::find(config::RecommenderPolicy policy) {
  for (PolicyRun& run : runs_) {
    if (run.policy->kind() == policy) return &run;
  }
  return nullptr;
}

Result<void> Workload::take(const Observation& observation) {
  Result<void> first_error;
  for (PolicyRun& run : runs_) {
    auto taken = feed(*run.policy, observation);
    if (!taken && first_error) first_error = std::move(taken);
  }
  return first_error;
}

void Workload::recommend(WallTime now) {
  for (PolicyRun& run : runs_) {
    run.last = run.policy->recommend(now);
    run.policy->forget_stale(now);
  }
}

Result<std::vector<std::string>> Workload::explain(const std::string& policy,
                                                   const ContainerName& container, WallTime now) {
  std::string known;
  for (PolicyRun& run : runs_) {
    if (policy.empty() || run.policy->name() == policy) return explained(run, container, now);
    known += (known.empty() ? "" : ", ") + std::string(run.policy->name());
  }
  return fail(ErrorKind::kNotFound, "policy \"" + policy + "\"",
              "does not run here, want one of: " + known);
}

std::map<std::string, std::string> Workload::save(WallTime now) const {
  std::map<std::string, std::string> states;
  for (const PolicyRun& run : runs_)
    states[std::string(run.policy->name())] = run.policy->save(now);
  return states;
}

Result<void> Workload::restore(const std::map<std::string, std::string>& states) {
  for (PolicyRun& run : runs_) {
    const auto state = states.find(std::string(run.policy->name()));
    if (state == states.end()) continue;
    if (auto restored = run.policy->restore(state->second); !restored) {
      const Error& error = restored.error();
      return fail(error.kind(), id_.text() + "." + state->first + ": " + error.culprit(),
                  error.message());
    }
  }
  return {};
}

ContainerPolicy container_policy(const config::ResourcesSettings& resources) {
  using config::ControlledResources;
  return {.container = ContainerName(std::string(kEveryContainer)),
          .min_allowed = {resources.min_allowed_cpu, resources.min_allowed_memory},
          .max_allowed = {resources.max_allowed_cpu, resources.max_allowed_memory},
          .controls_cpu = resources.controlled_resources != ControlledResources::kMemory,
          .controls_memory = resources.controlled_resources != ControlledResources::kCpu};
}

config::RecommenderPolicy policy_of(const config::ResourcesSettings& resources,
                                    config::RecommenderPolicy otherwise) {
  switch (resources.policy) {
    case config::ResourcesPolicy::kVpa:
      return config::RecommenderPolicy::kVpa;
    case config::ResourcesPolicy::kSpike:
      return config::RecommenderPolicy::kSpike;
    case config::ResourcesPolicy::kHybrid:
      return config::RecommenderPolicy::kHybrid;
    case config::ResourcesPolicy::kDefault:
      break;
  }
  return otherwise;
}

std::vector<config::RecommenderPolicy> shadow_policies(const std::string& text,
                                                       config::RecommenderPolicy chosen) {
  using config::RecommenderPolicy;
  constexpr std::array<std::pair<std::string_view, RecommenderPolicy>, 3> kAll = {
      {{"vpa", RecommenderPolicy::kVpa},
       {"spike", RecommenderPolicy::kSpike},
       {"hybrid", RecommenderPolicy::kHybrid}}};
  std::vector<RecommenderPolicy> shadows;
  const std::string list = "," + text + ",";
  for (const auto& [name, policy] : kAll) {
    const bool is_named = list.find("," + std::string(name) + ",") != list.npos;
    if (is_named && policy != chosen) shadows.push_back(policy);
  }
  return shadows;
}

}  // namespace bellows::recommender
