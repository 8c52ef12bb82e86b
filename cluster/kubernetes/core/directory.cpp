#include "cluster/kubernetes/core/directory.hpp"

#include <algorithm>
#include <span>

#include "cluster/kubernetes/core/names.hpp"

namespace bellows::cluster {

namespace {

using kubernetes::StringMap;

RevisionId id_of(const kubernetes::ObjectMeta& meta) {
  return RevisionId(kubernetes::object_key(meta));
}

/// Returns "apps/Deployment" of a target.
std::string kind_of(const TargetRef& target) {
  return std::string(target.group()) + "/" + target.kind;
}

std::string key_in(std::string_view kind, const kubernetes::ObjectMeta& meta) {
  return std::string(kind) + " " + kubernetes::object_key(meta);
}

/// Returns true for a custom resource: it may own the ReplicaSet or StatefulSet of a pod.
bool is_above_apps(std::string_view kind) {
  return !kind.starts_with("apps/");
}

}  // namespace

PodCount Record::requested() const {
  if (!target) return 0;
  const bool is_behind =
      written && kubernetes::is_older(target->meta.resource_version, written->resource_version);
  return is_behind ? written->replicas : target->replicas;
}

void Directory::touch(const RevisionId& id) {
  dirty_.insert(id);
}

void Directory::touch_all(const Target& target) {
  dirty_.insert(target.revisions.begin(), target.revisions.end());
}

/// They have a fallback-service from now on, or none any more.
void Directory::touch_users(const RevisionId& fallback) {
  const auto users = users_.find(fallback);
  if (users == users_.end()) return;
  for (const RevisionId& id : users->second) touch(id);
}

void Directory::set_fallback(const RevisionId& id, Record& record, const RevisionId& fallback) {
  if (record.fallback == fallback) return;
  const auto users = users_.find(record.fallback);
  if (users != users_.end()) {
    users->second.erase(id);
    if (users->second.empty()) users_.erase(users);
  }
  record.fallback = fallback;
  if (!fallback.empty()) users_[fallback].insert(id);
}

void Directory::revision_changed(const RevisionObjectPtr& before, const RevisionObjectPtr& after) {
  const RevisionId id = id_of((after ? after : before)->meta);
  const auto known = records_.find(id);
  if (known != records_.end() &&
      (!after || before->target != after->target || before->meta.uid != after->meta.uid)) {
    detach(id, known->second);
    records_.erase(known);
  }
  touch(id);
  if (!after) return touch_users(id);
  Record& record = records_[id];
  record.settings_stale = true;
  const bool is_new = !record.object;
  record.object = after;
  if (is_new) attach(id, record);
}

void Directory::attach(const RevisionId& id, Record& record) {
  const std::string& ns = record.object->meta.ns;
  const std::string key = target_key(ns, record.object->target);
  Target& target = targets_[key];
  target.revisions.insert(id);
  touch_all(target);
  touch_users(id);
  by_namespace_[ns].insert(id);
  record.target = target.object;
  index_selector(ns, key, target);
  collect_members(id, record);
}

void Directory::detach(const RevisionId& id, Record& record) {
  const std::string& ns = record.object->meta.ns;
  index_service(id, record, false);
  set_fallback(id, record, {});
  const std::string key = target_key(ns, record.object->target);
  const auto in_namespace = by_namespace_.find(ns);
  in_namespace->second.erase(id);
  if (in_namespace->second.empty()) by_namespace_.erase(in_namespace);
  const auto target = targets_.find(key);
  target->second.revisions.erase(id);
  touch_all(target->second);
  index_selector(ns, key, target->second);
  if (target->second.empty()) targets_.erase(target);
}

/// Only targets with a Revision are found by the labels of pods.
void Directory::index_selector(std::string_view ns, const std::string& key, const Target& target) {
  target_selectors_.erase(ns, key);
  above_selectors_.erase(ns, key);
  if (target.revisions.empty() || !target.object) return;
  const StringMap pairs = target.object->selector.pairs();
  target_selectors_.put(ns, key, pairs);
  if (is_above_apps(key)) above_selectors_.put(ns, key, pairs);
}

void Directory::target_changed(std::string_view kind, const TargetPtr& before,
                               const TargetPtr& after) {
  const std::string key = key_in(kind, (after ? after : before)->meta);
  Target& target = targets_[key];
  target.object = after;
  const bool is_new_selector = !before || !after || before->selector != after->selector ||
                               before->meta.uid != after->meta.uid;
  if (is_new_selector) index_selector((after ? after : before)->meta.ns, key, target);
  for (const RevisionId& id : target.revisions) {
    Record& record = records_.at(id);
    noticed_replicas(id, record, after);
    if (!before || !after || !(before->meta.annotations == after->meta.annotations) ||
        !(before->template_annotations == after->template_annotations)) {
      record.settings_stale = true;
    }
    record.target = after;
    if (is_new_selector) collect_members(id, record);
    touch(id);
  }
  if (target.empty()) targets_.erase(key);
}

/// A number that is neither the previous one nor what we wrote comes from another client.
void Directory::noticed_replicas(const RevisionId& id, Record& record, const TargetPtr& after) {
  if (!record.written || record.is_being_written) return;
  const bool is_replaced = !after || (record.target && record.target->meta.uid != after->meta.uid);
  if (is_replaced) {
    record.written.reset();
    return;
  }
  if (kubernetes::is_older(after->meta.resource_version, record.written->resource_version)) return;
  if (after->replicas == record.written->replicas) return;
  record.written.reset();
  set_back_.push_back(id);
}

void Directory::collect_members(const RevisionId& id, Record& record) {
  record.members.clear();
  touch(id);
  if (!record.target || record.target->selector.empty()) return;
  const std::string& ns = record.object->meta.ns;
  const auto add = [&](const std::map<std::string, PodPtr>& pods) {
    for (const auto& [name, pod] : pods) {
      if (!record.target->selector.matches(pod->meta.labels)) continue;
      record.members[name].pod = pod;
    }
  };
  const std::string key = target_key(ns, record.object->target);
  const auto owned = owned_pods_.find(key);
  if (owned != owned_pods_.end()) add(owned->second);
  if (is_above_apps(key)) {
    for (const std::string kind : {"apps/Deployment ", "apps/StatefulSet "}) {
      const std::string prefix = kind + ns + "/";
      for (auto one = owned_pods_.lower_bound(prefix);
           one != owned_pods_.end() && one->first.starts_with(prefix); ++one) {
        add(one->second);
      }
    }
  }
  const auto others = other_pods_.find(ns);
  if (others != other_pods_.end()) add(others->second);
}

std::vector<std::string> Directory::targets_of(const kubernetes::Pod& pod) const {
  std::string owner = owner_key(pod);
  if (owner.empty()) return target_selectors_.matching(pod.meta.ns, pod.meta.labels);
  std::vector<std::string> targets;
  if (!above_selectors_.empty()) {
    targets = above_selectors_.matching(pod.meta.ns, pod.meta.labels);
  }
  targets.push_back(std::move(owner));
  return targets;
}

void Directory::pod_changed(const PodPtr& before, const PodPtr& after) {
  const bool moves = before && after &&
                     (!(before->meta.labels == after->meta.labels) ||
                      !(before->meta.owners == after->meta.owners));
  if (before && (!after || moves)) remove(before);
  if (after) place(after);
}

void Directory::place(const PodPtr& pod) {
  const std::string owner = owner_key(*pod);
  auto& pods = owner.empty() ? other_pods_[pod->meta.ns] : owned_pods_[owner];
  pods[pod->meta.name] = pod;
  for (const std::string& key : targets_of(*pod)) {
    const auto target = targets_.find(key);
    if (target == targets_.end() || !target->second.object) continue;
    const kubernetes::Selector& selector = target->second.object->selector;
    if (selector.empty() || !selector.matches(pod->meta.labels)) continue;
    for (const RevisionId& id : target->second.revisions) {
      Member& member = records_.at(id).members[pod->meta.name];
      member.pod = pod;
      touch(id);
    }
  }
}

void Directory::remove(const PodPtr& pod) {
  const std::string owner = owner_key(*pod);
  const auto erase_from = [&](auto& groups, const std::string& key) {
    const auto group = groups.find(key);
    if (group == groups.end()) return;
    group->second.erase(pod->meta.name);
    if (group->second.empty()) groups.erase(group);
  };
  if (owner.empty()) {
    erase_from(other_pods_, pod->meta.ns);
  } else {
    erase_from(owned_pods_, owner);
  }
  for (const std::string& key : targets_of(*pod)) {
    const auto target = targets_.find(key);
    if (target == targets_.end()) continue;
    for (const RevisionId& id : target->second.revisions) {
      if (records_.at(id).members.erase(pod->meta.name) > 0) touch(id);
    }
  }
}

void Directory::service_changed(const ServicePtr& before, const ServicePtr& after) {
  for (const ServicePtr& each : {before, after}) {
    if (each) touch_takers(each->meta.ns, each->selector);
  }
  const kubernetes::ObjectMeta& meta = (after ? after : before)->meta;
  const std::string key = kubernetes::object_key(meta);
  if (after) {
    services_[key] = after;
    // Others make its endpoints if it has no selector.
    service_selectors_.erase(meta.ns, meta.name);
    if (!after->selector.empty()) service_selectors_.put(meta.ns, meta.name, after->selector);
  } else {
    services_.erase(key);
    service_selectors_.erase(meta.ns, meta.name);
  }
  // The Revisions that name it.
  const auto found = by_namespace_.find(meta.ns);
  if (found == by_namespace_.end()) return;
  for (const RevisionId& id : found->second) {
    const Record& record = records_.at(id);
    if (record.service == meta.name || record.object->service == meta.name ||
        (record.target && record.target->meta.annotations.get(kServiceAnnotation) == meta.name)) {
      touch(id);
    }
  }
}

void Directory::touch_takers(std::string_view ns, const StringMap& selector) {
  const auto found = by_namespace_.find(ns);
  if (found == by_namespace_.end() || selector.empty()) return;
  for (const RevisionId& id : found->second) {
    const Record& record = records_.at(id);
    if (record.target && has_all(record.target->template_labels, selector)) touch(id);
  }
}

void Directory::scaler_changed(const std::optional<OtherScaler>& before,
                               const std::optional<OtherScaler>& after) {
  if (before) {
    Target& target = targets_[before->target];
    target.scalers.erase(before->kind + " " + before->name);
    touch_all(target);
    if (target.empty()) targets_.erase(before->target);
  }
  if (!after) return;
  Target& target = targets_[after->target];
  target.scalers[after->kind + " " + after->name] = *after;
  touch_all(target);
}

void Directory::kind_known(std::string_view kind, std::string problem) {
  kinds_[std::string(kind)] = std::move(problem);
  for (const auto& [id, record] : records_) {
    if (kind_of(record.object->target) == kind) touch(id);
  }
}

void Directory::usages_changed(const PodUsages& usages, std::string problem) {
  const bool is_other_problem = usage_problem_ != problem;
  usage_problem_ = std::move(problem);
  for (auto& [id, record] : records_) {
    if (is_other_problem && record.is_joined) {
      record.settings_stale = true;
      touch(id);
    }
    for (auto& [name, member] : record.members) {
      const auto found = usages.find(kubernetes::object_key(record.object->meta.ns, name));
      const auto usage = found == usages.end() ? std::nullopt : std::optional(found->second);
      if (std::exchange(member.usage, usage) != usage) touch(id);
    }
  }
}

void Directory::scale_begins(const RevisionId& id) {
  const auto found = records_.find(id);
  if (found != records_.end()) found->second.is_being_written = true;
}

void Directory::scale_ended(const RevisionId& id, bool is_known) {
  const auto found = records_.find(id);
  if (found == records_.end()) return;
  Record& record = found->second;
  record.is_being_written = false;
  if (!is_known) record.written.reset();
  noticed_replicas(id, record, record.target);
}

void Directory::scale_written(const RevisionId& id, PodCount replicas,
                              std::string resource_version) {
  const auto found = records_.find(id);
  if (found == records_.end()) return;
  found->second.written = {.replicas = replicas, .resource_version = std::move(resource_version)};
  touch(id);
}

const Record* Directory::find(const RevisionId& id) const {
  const auto found = records_.find(id);
  return found == records_.end() ? nullptr : &found->second;
}

ServicePtr Directory::find_service(std::string_view ns, std::string_view name) const {
  const auto found = services_.find(kubernetes::object_key(ns, name));
  return found == services_.end() ? nullptr : found->second;
}

std::vector<RevisionId> Directory::served_by(std::string_view service) const {
  const auto found = served_by_.find(service);
  if (found == served_by_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

TargetPtr Directory::find_target(std::string_view key) const {
  const auto target = targets_.find(std::string(key));
  return target == targets_.end() ? nullptr : target->second.object;
}

std::vector<RevisionId> Directory::revisions_of(std::string_view key) const {
  const auto target = targets_.find(std::string(key));
  if (target == targets_.end()) return {};
  return {target->second.revisions.begin(), target->second.revisions.end()};
}

}  // namespace bellows::cluster
