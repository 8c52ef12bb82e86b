// What ClusterState wants to be written: statuses and checkpoints.
#include <algorithm>
#include <optional>
#include <utility>

#include "kubernetes/core/object_meta.hpp"
#include "recommender/kubernetes/core/cluster_state.hpp"

namespace bellows::recommender {

namespace {

using kubernetes::Condition;
using kubernetes::ConditionStatus;

/// A condition of VPA that is absent unless it is true.
struct Finding {
  std::string type;
  std::string reason;
  std::optional<std::string> message;  ///< nullopt: it does not hold
};

void set(std::vector<Condition>& conditions, const Finding& finding, WallTime now) {
  if (!finding.message) {
    std::erase_if(conditions, [&](const Condition& each) { return each.type == finding.type; });
    return;
  }
  kubernetes::merge_condition(conditions,
                              {.type = finding.type,
                               .status = ConditionStatus::kTrue,
                               .reason = finding.reason,
                               .message = *finding.message},
                              now);
}

/// Returns the run whose histograms are stored; nullptr: no policy keeps any.
const PolicyRun* kept_run(const Workload& workload) {
  const auto found = std::ranges::find_if(
      workload.runs(), [](const PolicyRun& run) { return run.policy->keeps_histograms(); });
  return found == workload.runs().end() ? nullptr : &*found;
}

}  // namespace

const std::vector<RecommendedContainer>& ClusterState::written(const Object& object) {
  return object.is_compared ? object.latest->compared : object.latest->status.recommended;
}

/// Where a policy has no number yet, the one that is written stays.
std::vector<RecommendedContainer> ClusterState::recommended(const Object& object) const {
  const std::vector<RecommendedContainer>& before = written(object);
  // The first numbers after a restart wait for the first samples.
  if (!has_metrics_ && !before.empty()) return before;
  std::vector<RecommendedContainer> all;
  const PolicyRun& chosen = object.workload->chosen();
  for (const Recommendation& each : chosen.last) {
    if (each.sizes) all.push_back({each.container, *each.sizes});
  }
  for (const RecommendedContainer& last : before) {
    const Recommendation* const now = chosen.find(last.container);
    const bool is_off = policy_of(last.container, object.latest->containers).is_off;
    const bool is_unknown = now == nullptr ? object.pods == 0 : !now->sizes;
    if (!is_off && is_unknown) all.push_back(last);
  }
  std::ranges::sort(all, {}, &RecommendedContainer::container);
  return all;
}

VerticalStatus ClusterState::wanted(const Object& object, WallTime now) const {
  VerticalStatus status{.recommended = recommended(object),
                        .conditions = object.latest->status.conditions};
  std::optional<std::string> unsupported;
  if (!object.problem.empty()) unsupported = object.problem;
  if (!object.target->selector) unsupported = object.target->unsupported;
  set(status.conditions, {"ConfigUnsupported", "", unsupported}, now);
  set(status.conditions, {"ConfigDeprecated", "", {}}, now);
  Finding no_pods{"NoPodsMatched", "NoPodsMatched", {}};
  if (object.pods == 0) no_pods.message = "No pods match this VPA object";
  set(status.conditions, no_pods, now);
  const bool is_provided = !status.recommended.empty();
  const bool is_explained = !is_provided && no_pods.message;
  kubernetes::merge_condition(
      status.conditions,
      {.type = "RecommendationProvided",
       .status = is_provided ? ConditionStatus::kTrue : ConditionStatus::kFalse,
       .reason = is_explained ? no_pods.reason : "",
       .message = is_explained ? *no_pods.message : ""},
      now);
  std::ranges::sort(status.conditions, {}, &Condition::type);
  return status;
}

std::vector<StatusWrite> ClusterState::status_writes(WallTime now) const {
  std::vector<StatusWrite> writes;
  for (const auto& [key, object] : objects_) {
    if (!object.has_history || !object.target) continue;
    const kubernetes::ObjectMeta& meta = object.latest->meta;
    if (object.is_compared) {
      const VerticalStatus status{.recommended = recommended(object), .conditions = {}};
      if (!is_changed({.recommended = written(object), .conditions = {}}, status)) continue;
      writes.push_back({meta.ns, meta.name, comparison_patch(status.recommended), true});
      continue;
    }
    const VerticalStatus status = wanted(object, now);
    if (!is_changed(object.latest->status, status)) continue;
    const bool removes = status.recommended.empty() && !written(object).empty();
    writes.push_back({meta.ns, meta.name, status_patch(status, removes)});
  }
  return writes;
}

std::vector<std::string> ClusterState::stale_checkpoints() const {
  std::vector<std::pair<WallTime, std::string>> stale;
  for (const auto& [key, object] : objects_) {
    const bool is_kept = object.has_history && !object.is_compared;  // else by its recommender
    if (is_kept && object.has_news) stale.emplace_back(object.written, key);
  }
  std::ranges::sort(stale);
  std::vector<std::string> keys;
  keys.reserve(stale.size());
  for (auto& [written, key] : stale) keys.push_back(std::move(key));
  return keys;
}

std::vector<CheckpointWrite> ClusterState::checkpoints_of(const std::string& key,
                                                          WallTime now) const {
  std::vector<CheckpointWrite> writes;
  const auto found = objects_.find(key);
  if (found == objects_.end()) return writes;
  const kubernetes::ObjectMeta& meta = found->second.latest->meta;
  const PolicyRun* const run = kept_run(*found->second.workload);
  if (run == nullptr) return writes;
  for (const ContainerName& container : run->policy->containers()) {
    const auto checkpoint = run->policy->checkpoint(container, now);
    if (!checkpoint) continue;
    writes.push_back(write_of(meta.ns, meta.name, container, *checkpoint, now));
  }
  return writes;
}

void ClusterState::checkpoints_written(const std::string& key, WallTime now) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return;
  found->second.written = now;
  found->second.has_news = false;
}

}  // namespace bellows::recommender
