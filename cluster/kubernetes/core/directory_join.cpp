// The second half of Directory: from the facts about a Revision to its listing.
#include <algorithm>
#include <span>

#include "base/read_number.hpp"
#include "cluster/kubernetes/core/directory.hpp"
#include "cluster/kubernetes/core/names.hpp"

namespace bellows::cluster {

namespace {

constexpr std::string_view kNoSelector =
    " has neither spec.selector nor status.selector in its scale, so its pods are unknown; set "
    "subresources.scale.labelSelectorPath in its CustomResourceDefinition";

std::string list_text(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

std::span<const std::pair<std::string, std::string>> texts_of(const kubernetes::StringMap& map) {
  return {map.begin(), map.end()};
}

/// Returns the port by spec.port, else by annotation. An annotation that is no port is a problem.
std::optional<std::uint16_t> port_of(const Record& record, std::vector<Error>& problems) {
  if (record.object->port) return record.object->port;
  if (!record.target) return std::nullopt;
  const std::string* text = record.target->meta.annotations.find(kReplicaPortAnnotation);
  if (text == nullptr) return std::nullopt;
  const auto port = read_number<std::uint16_t>(*text);
  if (port && *port > 0) return port;
  problems.emplace_back(
      ErrorKind::kInvalidSetting,
      target_name(record.object->target) + ", annotation " + std::string(kReplicaPortAnnotation),
      "\"" + *text + "\": want a port from 1 to 65535");
  return std::nullopt;
}

/// Returns why no replica becomes ready: all of them have failed, or none can be made.
std::string common_failure(const Record& record, const std::vector<ReplicaPtr>& replicas) {
  const std::string* first = nullptr;
  for (const ReplicaPtr& replica : replicas) {
    if (replica->phase == ReplicaPhase::kDraining) continue;
    if (replica->phase != ReplicaPhase::kFailed) return {};
    if (first == nullptr) first = &replica->failure_message;
  }
  if (first != nullptr) return *first;
  if (!record.target || record.target->replicas == 0) return {};
  const kubernetes::Condition* failure = record.target->condition("ReplicaFailure");
  if (failure == nullptr || failure->status != kubernetes::ConditionStatus::kTrue) return {};
  return target_name(record.object->target) + ": " + failure->message;
}

/// Calendar times differ a little on our clock from conversion to conversion, so an unchanged time
/// keeps its value. A process starts once: a later readiness follows a failed probe.
void keep_times(StartTimes& now, const StartTimes& before) {
  const auto keep = [](TimePoint& at, TimePoint earlier) {
    if (std::chrono::abs(at - earlier) < std::chrono::seconds(1)) at = earlier;
  };
  keep(now.ordered, before.ordered);
  if (now.process_started && before.process_started) {
    keep(*now.process_started, *before.process_started);
  }
  if (before.ready && now.process_started == before.process_started) now.ready = before.ready;
}

void make_replica(Member& member, std::optional<std::uint16_t> port, Duration progress_deadline,
                  const Clocks& clocks) {
  PodReplica made = replica_of(*member.pod, port, progress_deadline, clocks);
  const bool is_same_pod =
      member.made_from && member.made_from->meta.uid == member.pod->meta.uid && member.replica;
  if (is_same_pod) keep_times(made.replica.start, member.replica->start);
  made.replica.usage = member.usage;
  member.made_from = member.pod;
  member.port = port;
  member.progress_deadline = progress_deadline;
  member.deadline = made.deadline;
  if (member.replica && *member.replica == made.replica) return;
  member.replica = std::make_shared<const Replica>(std::move(made.replica));
}

}  // namespace

Directory::Joined Directory::refresh(const Clocks& clocks) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= clocks.now) {
    const RevisionId id = deadlines_.begin()->second;
    touch(id);
    set_deadline(id, std::nullopt);
  }
  Joined joined;
  // Joining touches no other Revision.
  for (const RevisionId& id : std::exchange(dirty_, {})) {
    const auto record = records_.find(id);
    if (record == records_.end()) {
      set_deadline(id, std::nullopt);
      joined.removed.push_back(id);
    } else if (std::shared_ptr<Revision> revision = join(id, record->second, clocks)) {
      joined.revisions.push_back(std::move(revision));
    }
  }
  return joined;
}

std::optional<TimePoint> Directory::next_deadline() const {
  if (deadlines_.empty()) return std::nullopt;
  return deadlines_.begin()->first;
}

void Directory::set_deadline(const RevisionId& id, std::optional<TimePoint> deadline) {
  const auto known = deadline_of_.find(id);
  if (known != deadline_of_.end()) {
    deadlines_.erase({known->second, id});
    deadline_of_.erase(known);
  }
  if (!deadline) return;
  deadlines_.insert({*deadline, id});
  deadline_of_[id] = *deadline;
}

/// Returns null until the list of its targets is known.
std::shared_ptr<Revision> Directory::join(const RevisionId& id, Record& record,
                                          const Clocks& clocks) {
  const TargetRef& ref = record.object->target;
  if (!kinds_.contains(std::string(ref.group()) + "/" + ref.kind)) return nullptr;
  join_settings(record);
  find_fallback(id, record);
  join_findings(id, record);
  join_members(id, record, clocks);
  record.is_joined = true;
  return made(id, record);
}

/// Invalid settings leave the last valid ones in force: those of this process, or those that an
/// earlier one left in the status.
void Directory::join_settings(Record& record) {
  if (!std::exchange(record.settings_stale, false)) return;
  const kubernetes::StringMap none;
  SettingsRead read = read_settings(
      {.target = target_name(record.object->target),
       .template_annotations = texts_of(record.target ? record.target->template_annotations : none),
       .target_annotations = texts_of(record.target ? record.target->meta.annotations : none),
       .scaling = record.object->scaling},
      check_);
  record.port = port_of(record, read.problems);
  record.setting_problems = std::move(read.problems);
  if (record.setting_problems.empty()) {
    record.settings = *read.settings;
    record.has_settings = true;
    record.settings_texts = good_settings_texts(record.settings);
    record.of_queue_proxies = std::move(read.of_queue_proxies);
  } else if (!record.has_settings && record.object->status.has_settings) {
    const auto saved = good_settings(record.object->status.settings);
    if (saved) {
      record.settings = *saved;
      record.settings_texts = record.object->status.settings;
      record.of_queue_proxies = texts_of_queue_proxies(record.settings_texts);
    }
    record.has_settings = saved.has_value();
  }
  record.is_measured = usage_problem_.empty();
  record.without_effect = config::without_effect_on_kubernetes(
      record.settings,
      {.is_beside_hpa = record.object->shares_with_hpa, .without_usage = usage_problem_});
  record.of_activators = config::of_activators_alone(record.settings);
}

/// Activators look for it among the Revisions of the namespace.
void Directory::find_fallback(const RevisionId& id, Record& record) {
  const std::string& name = record.settings.callers.fallback_service;
  set_fallback(id, record,
               name.empty() ? RevisionId()
                            : RevisionId(kubernetes::object_key(record.object->meta.ns, name)));
  record.misses_fallback = !name.empty() && !records_.contains(record.fallback);
}

void Directory::join_findings(const RevisionId& id, Record& record) {
  const RevisionObject& object = *record.object;
  const std::string name = target_name(object.target);
  const std::string key = target_key(object.meta.ns, object.target);
  const Target& target = targets_.at(key);
  record.findings.clear();
  record.shared_with.reset();
  const auto add = [&](std::string_view reason, std::string message, bool stops_scaling) {
    record.findings.push_back({std::string(reason), std::move(message), stops_scaling});
  };
  const std::string& kind_problem =
      kinds_.at(std::string(object.target.group()) + "/" + object.target.kind);
  if (!kind_problem.empty()) {
    add(kTargetNotScalable, kind_problem, true);
  } else if (!record.target) {
    add(kTargetNotFound, name + " does not exist in namespace " + object.meta.ns, true);
  } else if (record.target->selector.empty()) {
    add(kTargetNotScalable, name + std::string(kNoSelector), true);
  }
  if (target.revisions.size() > 1) {
    std::vector<std::string> others;
    for (const RevisionId& other : target.revisions) {
      if (other != id) others.push_back("Revision " + other.text());
    }
    add(kTwoRevisions, list_text(others) + " has the same target, " + name + "; want one", true);
  }
  for (const auto& [scaler_name, scaler] : target.scalers) {
    if (target.scalers.contains("ScaledObject " + scaler.made_by)) continue;
    if (object.shares_with_hpa && scaler.kind == "HorizontalPodAutoscaler") {
      record.shared_with = scaler;
      continue;
    }
    add(kOtherAutoscaler,
        scaler_name + " scales " + name + " too; nothing is written, so remove one of them" +
            (scaler.kind == "HorizontalPodAutoscaler" ? ", or set spec.with to hpa" : ""),
        true);
  }
  if (!record.setting_problems.empty()) {
    add(kConfigInvalid,
        problems_line(record.setting_problems) +
            (record.has_settings ? "; the last valid settings stay in force"
                                 : "; nothing is scaled before they are valid"),
        !record.has_settings);
  }
  find_service(id, record);
}

void Directory::find_service(const RevisionId& id, Record& record) {
  index_service(id, record, false);
  choose_service(record);
  index_service(id, record, true);
}

void Directory::index_service(const RevisionId& id, const Record& record, bool is_there) {
  if (record.service.empty()) return;
  const std::string key = kubernetes::object_key(record.object->meta.ns, record.service);
  if (is_there) {
    served_by_[key].insert(id);
    return;
  }
  const auto found = served_by_.find(key);
  if (found == served_by_.end()) return;
  found->second.erase(id);
  if (found->second.empty()) served_by_.erase(found);
}

void Directory::choose_service(Record& record) {
  record.service.clear();
  if (!record.target) return;
  const RevisionObject& object = *record.object;
  const std::string& ns = object.meta.ns;
  std::string named = object.service;
  if (named.empty()) named = record.target->meta.annotations.get(kServiceAnnotation);
  if (!named.empty()) {
    if (services_.contains(kubernetes::object_key(ns, named))) {
      record.service = named;
    } else {
      record.findings.push_back(
          {std::string(kServiceNotFound), "Service " + named + " does not exist", false});
    }
    return;
  }
  const std::vector<std::string> found =
      service_selectors_.matching(ns, record.target->template_labels);
  if (found.size() == 1) {
    record.service = found.front();
  } else if (found.empty()) {
    record.findings.push_back({std::string(kServiceNotFound),
                               "no Service selects the pods of " + target_name(object.target),
                               false});
  } else {
    record.findings.push_back({std::string(kServiceAmbiguous),
                               "Services " + list_text(found) + " select the pods of " +
                                   target_name(object.target) +
                                   "; name one in spec.serviceName or in the annotation " +
                                   std::string(kServiceAnnotation),
                               false});
  }
}

/// A replica is converted again when its pod has changed or its deadline is over: a calendar time
/// on our clock would differ a little each time.
void Directory::join_members(const RevisionId& id, Record& record, const Clocks& clocks) {
  std::vector<Error> ignored;
  const auto port = port_of(record, ignored);
  std::optional<TimePoint> next;
  const Duration deadline = record.settings.progress_deadline;
  for (auto& [name, member] : record.members) {
    if (member.made_from != member.pod || member.port != port ||
        member.progress_deadline != deadline || member.usage != member.replica->usage ||
        (member.deadline && *member.deadline <= clocks.now)) {
      make_replica(member, port, deadline, clocks);
    }
    if (member.deadline) next = next ? std::min(*next, *member.deadline) : *member.deadline;
  }
  set_deadline(id, next);
}

std::shared_ptr<Revision> Directory::made(const RevisionId& id, Record& record) const {
  auto revision = std::make_shared<Revision>();
  revision->id = id;
  if (!record.service.empty()) {
    revision->route.host = record.service + "." + record.object->meta.ns + ".svc";
  }
  revision->settings = record.settings;
  if (record.has_settings) revision->proxy_settings = record.of_queue_proxies;
  revision->requested = record.requested();
  revision->state = record.object->state;
  if (revision->state == RevisionState::kActive &&
      std::ranges::any_of(record.findings, &Finding::stops_scaling)) {
    revision->state = RevisionState::kPaused;
  }
  revision->replicas.reserve(record.members.size());
  for (const auto& [name, member] : record.members) {
    if (member.replica->phase != ReplicaPhase::kGone) revision->replicas.push_back(member.replica);
  }
  record.failure_message = common_failure(record, revision->replicas);
  revision->failure_message = record.failure_message;
  revision->saved_state = record.object->status.saved_state;
  revision->learned_target = record.object->status.learned_target;
  return revision;
}

namespace {

/// Returns the settings whose share of a request cannot be computed, as no pod has that request.
std::vector<config::WithoutEffect> without_request(const Record& record) {
  const auto has_none = [&](const auto amount) {
    return !record.members.empty() && std::ranges::none_of(record.members, [&](const auto& each) {
      return each.second.replica && (each.second.replica->size.*amount).has_value();
    });
  };
  const config::RevisionSettings& settings = record.settings;
  std::vector<config::WithoutEffect> found;
  if (settings.cpu_utilization && !settings.resources.cpu && has_none(&ReplicaSize::cpu)) {
    found.push_back({"cpu-utilization",
                     "the pods request no CPU; want resources.requests.cpu in every container"});
  }
  if (settings.memory_utilization && !settings.resources.memory && has_none(&ReplicaSize::memory)) {
    found.push_back(
        {"memory-utilization",
         "the pods request no memory; want resources.requests.memory in every container"});
  }
  return found;
}

}  // namespace

Standing Record::standing() const {
  Standing standing;
  standing.asked = object->state;
  standing.findings = findings;
  standing.without_effect = without_effect;
  if (misses_fallback) {
    standing.without_effect.push_back(
        {"fallback-service", "there is no Revision " + settings.callers.fallback_service +
                                 " in this namespace, so requests wait"});
  }
  if (is_measured) {
    const auto missing = without_request(*this);
    standing.without_effect.insert(standing.without_effect.end(), missing.begin(), missing.end());
  }
  standing.of_activators = of_activators;
  standing.keeps_activators = settings.target_burst_capacity < 0;
  standing.service = service;
  standing.requested = requested();
  standing.failure_message = failure_message;
  for (const auto& [name, member] : members) {
    if (!member.replica) continue;
    const ReplicaPhase phase = member.replica->phase;
    if (phase == ReplicaPhase::kDraining || phase == ReplicaPhase::kGone) continue;
    ++standing.there;
    if (phase == ReplicaPhase::kReady) ++standing.ready;
  }
  return standing;
}

}  // namespace bellows::cluster
