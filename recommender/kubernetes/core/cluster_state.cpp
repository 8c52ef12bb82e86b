#include "recommender/kubernetes/core/cluster_state.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <iterator>

#include "kubernetes/core/object_meta.hpp"
#include "recommender/kubernetes/core/container_events.hpp"
#include "recommender/kubernetes/core/object_settings.hpp"

namespace bellows::recommender {

namespace {

using kubernetes::object_key;

constexpr Duration kOldest = std::chrono::minutes(10);
/// Clocks of nodes may differ.
constexpr Duration kAhead = std::chrono::minutes(2);
constexpr std::size_t kMostProblems = 20;

PriorTarget prior_of(const Amounts& amounts) {
  PriorTarget prior;
  if (amounts.cpu) prior.cpu = static_cast<double>(amounts.cpu->value);
  if (amounts.memory) prior.memory = static_cast<double>(amounts.memory->value);
  return prior;
}

std::vector<std::string> difference(const std::vector<std::string>& all,
                                    const std::vector<std::string>& without) {
  std::vector<std::string> left;
  std::ranges::set_difference(all, without, std::back_inserter(left));
  return left;
}

/// Returns the annotations without the one that we write.
std::vector<kubernetes::StringMap::Entry> settings_in(const VerticalAutoscaler& object) {
  std::vector<kubernetes::StringMap::Entry> all;
  for (const auto& entry : object.meta.annotations) {
    if (entry.first != kComparisonAnnotation) all.push_back(entry);
  }
  return all;
}

bool has_same_settings(const VerticalAutoscaler& a, const VerticalAutoscaler& b) {
  if (a.containers != b.containers) return false;
  return a.meta.annotations == b.meta.annotations || settings_in(a) == settings_in(b);
}

}  // namespace

ClusterState::ClusterState(ClusterOptions options) : options_(std::move(options)) {}

ClusterState::Role ClusterState::role_of(const VerticalAutoscaler& object) const {
  using config::ObjectsOfOthers;
  const std::vector<std::string>& named = object.recommenders;
  if (std::ranges::find(named, kRecommenderName) != named.end()) return Role::kOurs;
  if (named.empty() && options_.others == ObjectsOfOthers::kAdopt) return Role::kOurs;
  return options_.others == ObjectsOfOthers::kCompare ? Role::kCompared : Role::kNone;
}

std::vector<config::RecommenderPolicy> ClusterState::policies_of(
    const WorkloadSettings& settings) const {
  std::vector<config::RecommenderPolicy> policies = {settings.settings.policy};
  for (const auto shadow : shadow_policies(options_.shadow_policies, policies.front())) {
    policies.push_back(shadow);
  }
  return policies;
}

ClusterState::Object* ClusterState::find(std::string_view ns, std::string_view name) {
  const auto found = objects_.find(object_key(ns, name));
  return found == objects_.end() ? nullptr : &found->second;
}

bool ClusterState::has_object(std::string_view ns, std::string_view name) const {
  return objects_.contains(object_key(ns, name));
}

void ClusterState::object_changed(const VerticalPtr& before, const VerticalPtr& after,
                                  WallTime now) {
  const Role was = before ? role_of(*before) : Role::kNone;
  const Role is = after ? role_of(*after) : Role::kNone;
  const bool is_another = before && after && before->meta.uid != after->meta.uid;
  if (was != Role::kNone && (is != was || is_another)) {
    drop(*before, was == Role::kOurs && (!after || is_another));
  }
  if (is == Role::kNone) return;
  Object* const known = find(after->meta.ns, after->meta.name);
  if (known == nullptr) return add(after, now);
  update(*known, after, now);
}

void ClusterState::add(const VerticalPtr& object, WallTime now) {
  const std::string key = object_key(object->meta);
  // Its pods were joined to the one of that name before it.
  if (dropped_.contains(key)) rematch(now);
  ObjectSettings settings = settings_of(*object, options_.policies);
  Object& added = objects_[key];
  added.latest = object;
  added.is_compared = role_of(*object) == Role::kCompared;
  added.problem = std::move(settings.problem);
  added.workload = std::make_unique<Workload>(RevisionId(key), settings.settings,
                                              policies_of(*settings.settings));
  for (const RecommendedContainer& last : written(added)) {
    added.workload->begin_with(last.container, prior_of(last.sizes.uncapped_target), now);
  }
}

void ClusterState::update(Object& object, const VerticalPtr& latest, WallTime now) {
  const VerticalPtr before = std::exchange(object.latest, latest);
  if (has_same_settings(*before, *latest)) return;
  ObjectSettings settings = settings_of(*latest, options_.policies);
  object.problem = std::move(settings.problem);
  object.workload->run(policies_of(*settings.settings), now);
  auto changed = object.workload->change(settings.settings, now);
  if (!changed) problem(std::move(changed).error());
}

void ClusterState::drop(const VerticalAutoscaler& object, bool is_deleted) {
  const auto found = objects_.find(object_key(object.meta));
  if (found == objects_.end()) return;
  if (is_deleted) {
    for (const ContainerName& container : found->second.workload->chosen().policy->containers()) {
      orphans_.emplace_back(object.meta.ns, checkpoint_name(object.meta.name, container));
    }
  }
  dropped_.insert(found->first);
  objects_.erase(found);
  index_.erase(object.meta.ns, object.meta.name);
  changed_namespaces_.insert(object.meta.ns);
}

void ClusterState::target_found(const std::string& key, const TargetSelector& target) {
  const auto found = objects_.find(key);
  if (found == objects_.end() || found->second.target == target) return;
  const kubernetes::ObjectMeta& meta = found->second.latest->meta;
  if (target.selector) {
    index_.put(meta.ns, meta.name, target.selector->pairs());
  } else {
    index_.erase(meta.ns, meta.name);
  }
  found->second.target = target;
  changed_namespaces_.insert(meta.ns);
}

/// Returns the objects that an active pod belongs to.
std::vector<std::string> ClusterState::matching(const kubernetes::Pod& pod) {
  if (!is_active(pod)) return {};
  std::vector<std::string> names = index_.matching(pod.meta.ns, pod.meta.labels);
  std::erase_if(names, [&](const std::string& name) {
    const Object* const object = find(pod.meta.ns, name);
    return object == nullptr || !object->target->selector->matches(pod.meta.labels);
  });
  if (names.size() > 1) tell_twice(pod, names);
  return names;
}

void ClusterState::tell_twice(const kubernetes::Pod& pod, const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  if (!told_twice_.insert(pod.meta.ns + "/" + list).second) return;
  problem({ErrorKind::kConflict, "pod " + object_key(pod.meta),
           "several VerticalPodAutoscalers select it: " + list + "; want one"});
}

void ClusterState::feed(std::string_view ns, const std::vector<std::string>& names,
                        const std::vector<Observation>& observations) {
  for (const std::string& name : names) {
    Object* const object = find(ns, name);
    if (object == nullptr) continue;
    object->has_news = true;
    for (const Observation& each : observations) {
      auto taken = object->workload->take(each);
      if (taken) continue;
      // The 1st, 2nd, 4th, 8th, ..., because a broken source would fill the log.
      if (std::has_single_bit(++counters_.rejected)) problem(std::move(taken).error());
    }
  }
}

void ClusterState::join(PodState& state, std::vector<std::string> names, WallTime now) {
  const kubernetes::Pod& pod = *state.pod;
  const std::vector<std::string> joined = difference(names, state.objects);
  if (!joined.empty()) feed(pod.meta.ns, joined, first_observations(pod, now));
  for (const std::string& name : joined) ++find(pod.meta.ns, name)->pods;
  state.objects = std::move(names);
}

void ClusterState::leave(PodState& state, const std::vector<std::string>& names, WallTime now) {
  if (names.empty()) return;
  const std::string& ns = state.pod->meta.ns;
  feed(ns, names, last_observations(*state.pod, now));
  for (const std::string& name : names) {
    if (Object* const object = find(ns, name)) --object->pods;
  }
  state.objects = difference(state.objects, names);
}

void ClusterState::pod_changed(const PodPtr& before, const PodPtr& after, WallTime now) {
  const bool is_another = before && after && before->meta.uid != after->meta.uid;
  if (!after || is_another) {
    if (const auto gone = pods_.find(object_key(before->meta)); gone != pods_.end()) {
      leave(gone->second, gone->second.objects, now);
      pods_.erase(gone);
    }
    if (is_another) pod_changed(nullptr, after, now);
    return;
  }
  PodState& state = pods_[object_key(after->meta)];
  state.pod = after;
  const bool may_match_others = !before || before->meta.labels != after->meta.labels ||
                                is_active(*before) != is_active(*after);
  const std::vector<std::string> names = may_match_others ? matching(*after) : state.objects;
  const std::vector<std::string> left = difference(state.objects, names);
  std::vector<std::string> all = names;
  all.insert(all.end(), left.begin(), left.end());
  std::ranges::sort(all);
  if (all.empty()) return;
  join(state, all, now);
  feed(after->meta.ns, all, changes_of(before.get(), *after, options_.since, now));
  leave(state, left, now);
}

/// Joins the pods of namespaces whose selectors have changed: once for all changes, so that a
/// thousand objects do not ask for their pods one by one.
void ClusterState::rematch(WallTime now) {
  if (changed_namespaces_.empty()) return;
  for (auto& [key, state] : pods_) {
    if (!changed_namespaces_.contains(state.pod->meta.ns)) continue;
    std::vector<std::string> names = matching(*state.pod);
    leave(state, difference(state.objects, names), now);
    join(state, std::move(names), now);
  }
  changed_namespaces_.clear();
  dropped_.clear();
}

void ClusterState::take(const kubernetes::PodMetrics& measured, WallTime now) {
  rematch(now);
  const auto found = pods_.find(object_key(measured.meta));
  if (found == pods_.end() || found->second.objects.empty()) return;
  PodState& state = found->second;
  if (measured.measured <= state.measured) return;
  if (measured.measured > now + kAhead || measured.measured < now - kOldest) {
    ++counters_.unknown;
    return;
  }
  state.measured = measured.measured;
  newest_ = std::max(newest_.value_or(measured.measured), measured.measured);
  std::vector<Observation> samples;
  for (const kubernetes::ContainerMetrics& each : measured.containers) {
    if (!has_container(*state.pod, each.name)) continue;
    const auto add = [&](Resource resource, double amount) {
      samples.push_back({.workload = {},
                         .replica = PodName(measured.meta.name),
                         .container = ContainerName(each.name),
                         .at = measured.measured,
                         .what = Usage{measured.measured, resource, amount}});
      ++counters_.samples;
    };
    add(Resource::kCpu, static_cast<double>(each.cpu.value) / kMillicoresPerCore);
    add(Resource::kMemory, static_cast<double>(each.memory.value));
  }
  feed(measured.meta.ns, state.objects, samples);
}

std::vector<std::string> ClusterState::without_history() const {
  std::vector<std::string> keys;
  for (const auto& [key, object] : objects_) {
    if (!object.has_history) keys.push_back(key);
  }
  return keys;
}

void ClusterState::load(std::string_view ns, const CheckpointOwner& owner,
                        const Checkpoint& checkpoint) {
  Object* const object = find(ns, owner.autoscaler);
  if (object == nullptr || object->has_history) return;
  for (const PolicyRun& run : object->workload->runs()) {
    if (!run.policy->keeps_histograms()) continue;
    auto loaded = run.policy->load(owner.container, checkpoint);
    if (!loaded) problem(std::move(loaded).error());
  }
}

void ClusterState::history_read(const std::string& key) {
  if (const auto found = objects_.find(key); found != objects_.end()) {
    found->second.has_history = true;
  }
}

void ClusterState::tell_unknown_containers(const std::string& key, Object& object) {
  if (object.pods == 0 || object.told_generation == object.latest->meta.generation) return;
  object.told_generation = object.latest->meta.generation;
  for (const Error& error : object.workload->chosen().policy->policies_without_container()) {
    problem(
        {error.kind(), "VerticalPodAutoscaler " + key + ": " + error.culprit(), error.message()});
  }
}

void ClusterState::recommend(WallTime now) {
  rematch(now);
  for (auto& [key, object] : objects_) {
    if (!object.has_history) continue;
    object.workload->recommend(now);
    tell_unknown_containers(key, object);
  }
}

void ClusterState::problem(Error error) {
  if (problems_.size() < kMostProblems) problems_.push_back(std::move(error));
}

std::vector<Error> ClusterState::take_problems() {
  return std::exchange(problems_, {});
}

std::vector<std::pair<std::string, std::string>> ClusterState::take_orphans() {
  return std::exchange(orphans_, {});
}

Result<std::vector<std::string>> ClusterState::explain(const std::string& pod,
                                                       const ContainerName& container,
                                                       const std::string& policy, WallTime now) {
  const auto found = pods_.find(pod);
  if (found == pods_.end() || found->second.objects.empty()) {
    return fail(ErrorKind::kNotFound, "pod \"" + pod + "\"",
                "no VerticalPodAutoscaler of this recommender selects it; want NAMESPACE/POD of a "
                "running one");
  }
  Object* const object = find(found->second.pod->meta.ns, found->second.objects.front());
  return object->workload->explain(policy, container, now);
}

std::map<std::pair<std::string, std::string>, std::size_t> ClusterState::objects() const {
  std::map<std::pair<std::string, std::string>, std::size_t> numbers;
  for (const auto& [key, object] : objects_) {
    ++numbers[{std::string(object.workload->chosen().policy->name()), object.latest->update_mode}];
  }
  return numbers;
}

}  // namespace bellows::recommender
