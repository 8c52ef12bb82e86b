#include "autoscaler/service/status_json.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <utility>
#include <vector>

#include "autoscaler/core/activators/activator_subset.hpp"
#include "autoscaler/explain/catalogue.hpp"
#include "autoscaler/service/service_row.hpp"
#include "cluster/core/not_ready.hpp"

namespace bellows::autoscaler {
namespace {

boost::json::string text(std::string_view view) {
  return boost::json::string(view.data(), view.size());
}

boost::json::object load_json(const WindowLoad& load) {
  return {
      {"total", load.total}, {"per_pod", load.per_pod}, {"covered_seconds", load.covered_seconds}};
}

boost::json::object seen_json(const Observation& seen) {
  boost::json::object object{{"stable", load_json(seen.stable)},
                             {"panic", load_json(seen.panic)},
                             {"observed", seen.observed},
                             {"in_window", seen.in_window},
                             {"not_reporting", seen.not_reporting},
                             {"ready", seen.ready},
                             {"starting", seen.starting},
                             {"requested", seen.requested},
                             {"waiting", seen.waiting}};
  if (seen.cpu) object["cpu"] = *seen.cpu;
  if (seen.memory) object["memory"] = *seen.memory;
  if (seen.start_time) object["start_time_ms"] = to_milliseconds(*seen.start_time);
  if (!seen.is_reachable) object["reachable"] = false;
  if (seen.problem != Problem::kNone) object["problem"] = text(to_string(seen.problem));
  if (seen.idle_for) object["last_load_age_ms"] = to_milliseconds(*seen.idle_for);
  return object;
}

boost::json::object spec_json(const ScalingSpec& spec) {
  return {{"target", spec.target},
          {"total", spec.total},
          {"target_burst_capacity", spec.target_burst_capacity},
          {"stable_window_ms", to_milliseconds(spec.stable_window)},
          {"panic_window_ms", to_milliseconds(spec.panic_window)},
          {"panic_threshold", spec.panic_threshold},
          {"max_scale_up_rate", spec.max_scale_up_rate},
          {"max_scale_down_rate", spec.max_scale_down_rate},
          {"scale_down_delay_ms", to_milliseconds(spec.scale_down_delay)},
          {"min_scale", spec.min_scale},
          {"min_scale_from", text(to_string(spec.min_scale_from))},
          {"max_scale", spec.max_scale},
          {"initial_scale", spec.initial_scale},
          {"activation_scale", spec.activation_scale},
          {"enable_scale_to_zero", spec.enable_scale_to_zero},
          {"scale_to_zero_grace_period_ms", to_milliseconds(spec.scale_to_zero_grace_period)}};
}

/// Writes the part that the status shows too.
boost::json::object summary_json(const Decision& decision, TimePoint now) {
  return {{"age_ms", to_milliseconds(now - decision.at)},
          {"want", decision.replicas},
          {"before_bounds", decision.desired},
          {"mode", text(to_string(decision.mode))},
          {"rule", text(to_string(decision.rule))},
          {"because", explain::brief(decision)}};
}

boost::json::object decision_json(const Decision& decision, TimePoint now) {
  boost::json::object object = summary_json(decision, now);
  object["stable_answer"] = decision.stable_demand;
  object["panic_answer"] = decision.panic_demand;
  object["early_answer"] = decision.early_demand;
  object["early_load"] = text(to_string(decision.early_load));
  object["panic_ratio"] = decision.panic_ratio;
  object["up_limit"] = decision.up_limit;
  object["down_limit"] = decision.down_limit;
  object["before_delay"] = decision.undelayed;
  object["valid"] = decision.is_valid;
  object["burst_capacity"] = decision.burst_capacity;
  if (decision.after.panic) object["panic_most"] = decision.after.panic_max;
  object["seen"] = seen_json(decision.seen);
  object["spec"] = spec_json(decision.spec);
  return object;
}

boost::json::object start_json(const cluster::StartTimes& start, TimePoint now) {
  boost::json::object object{{"age_ms", to_milliseconds(now - start.ordered)}};
  const auto put = [&](const char* key, const std::optional<TimePoint>& at) {
    if (at) object[key] = to_milliseconds(*at - start.ordered);
  };
  put("process_after_ms", start.process_started);
  put("ready_after_ms", start.ready);
  return object;
}

boost::json::object size_json(const ReplicaSize& size) {
  boost::json::object object;
  if (size.cpu) object["cpu_millicores"] = size.cpu->value;
  if (size.memory) object["memory_bytes"] = size.memory->value;
  if (size.memory_limit) object["memory_limit_bytes"] = size.memory_limit->value;
  return object;
}

boost::json::object replica_json(const cluster::Replica& replica, const ObservedRevision& observed,
                                 TimePoint now) {
  boost::json::object object{{"name", text(replica.name.text())},
                             {"phase", text(cluster::to_string(replica.phase))},
                             {"restarts", replica.restarts},
                             {"start", start_json(replica.start, now)}};
  if (const auto load = observed.in_flight(replica.name)) object["in_flight"] = *load;
  if (!replica.address.empty()) object["address"] = to_string(replica.address);
  if (!replica.failure_message.empty()) object["trouble"] = replica.failure_message;
  if (!replica.restarted_because.empty()) {
    object["restarted_because"] = replica.restarted_because;
  }
  if (!replica.app_protocol.empty()) object["app_protocol"] = text(replica.app_protocol);
  if (replica.usage) {
    object["usage"] = {{"cpu_millicores", replica.usage->cpu.value},
                       {"memory_bytes", replica.usage->memory.value}};
  }
  if (!replica.size.empty()) object["size"] = size_json(replica.size);
  return object;
}

/// Writes the number of each policy, the occupied replicas, and the future numbers of schedules.
void put_policies(boost::json::object& object, const Decision& decision) {
  const PolicySeen* seen = decision.seen.policy.get();
  if (seen == nullptr) return;
  object["occupied"] = seen->rooms.occupied;
  object["kept"] = seen->kept;
  if (decision.policies) {
    boost::json::array proposals;
    const std::vector<std::string> names = decision.spec.policies.names();
    for (std::size_t i = 0; i < decision.policies->proposals.size(); ++i) {
      const Proposal& proposal = decision.policies->proposals[i];
      boost::json::object one{{"policy", names[i]}, {"because", text(proposal.reason)}};
      if (static_cast<std::int32_t>(i) == decision.policies->winner) one["decides"] = true;
      if (proposal.replicas) one["want"] = *proposal.replicas;
      proposals.push_back(std::move(one));
    }
    object["policies"] = std::move(proposals);
  }
  boost::json::array ahead;
  for (const std::string& line : decision.spec.policies.ahead(*seen)) ahead.push_back(text(line));
  if (!ahead.empty()) object["ahead"] = std::move(ahead);
}

void put_decision(boost::json::object& object, const Decision& decision, const RevisionId& service,
                  TimePoint now) {
  object["mode"] = text(to_string(decision.mode));
  object["stable_concurrency"] = decision.seen.stable.total;
  object["panic_concurrency"] = decision.seen.panic.total;
  object["target"] = decision.spec.target;
  object["burst_capacity"] = decision.burst_capacity;
  object["desired"] = decision.replicas;
  object["observed"] = decision.seen.observed;
  object["waiting"] = decision.seen.waiting;
  boost::json::object last = summary_json(decision, now);
  last["because"] = explain::brief(decision, service.text());
  object["last_decision"] = std::move(last);
  put_policies(object, decision);
}

/// Writes why replicas do not become ready, or did not when there were some.
void put_troubles(boost::json::object& object, const ScaledRevision& revision, TimePoint now) {
  const std::string& trouble = revision.observed.listed().failure_message;
  if (!trouble.empty()) object["trouble"] = trouble;
  const std::string not_ready = cluster::not_ready_because(revision.observed.listed());
  if (!not_ready.empty()) object["not_ready"] = not_ready;
  const StartFailures& failed = revision.failed_starts;
  if (failed.count() == 0) return;
  object["failed_starts"] = {{"count", failed.count()},
                             {"age_ms", to_milliseconds(now - failed.last_at())},
                             {"last", failed.last()}};
}

void put_replicas(boost::json::object& object, const ObservedRevision& observed, TimePoint now) {
  PodCount ready = 0;
  PodCount starting = 0;
  boost::json::array replicas;
  for (const cluster::ReplicaPtr& replica : observed.listed().replicas) {
    using Phase = cluster::ReplicaPhase;
    const Phase phase = replica->phase;
    if (phase == Phase::kReady) ++ready;
    if (phase == Phase::kPending || phase == Phase::kStarting || phase == Phase::kFailed) {
      ++starting;
    }
    replicas.push_back(replica_json(*replica, observed, now));
  }
  object["requested"] = observed.listed().requested;
  object["ready"] = ready;
  object["starting"] = starting;
  object["replicas"] = std::move(replicas);
}

boost::json::array names_json(const std::vector<std::string>& names) {
  boost::json::array list;
  for (const std::string& name : names) list.push_back(text(name));
  return list;
}

/// Writes the number of activators that should share the revision, and their names among the
/// connected ones.
boost::json::object activators_json(const ScaledRevision& revision, PodCount ready, TimePoint now) {
  const PodCount count = desired_activators(revision.spec, ready);
  const std::vector<std::string> reporting = revision.observed.activators(now);
  const auto subset =
      activator_subset(reporting, revision.id().text(), static_cast<std::size_t>(count));
  return {{"wanted", count}, {"heard", names_json(reporting)}, {"subset", names_json(subset)}};
}

boost::json::object path_json(const cluster::Path& path) {
  boost::json::array names;
  for (const PodName& name : path.activators) names.push_back(text(name.text()));
  boost::json::object object{{"state", text(cluster::to_string(path.state))}};
  if (path.activator_port != 0) object["activator_port"] = path.activator_port;
  object["activators"] = std::move(names);
  if (!path.problem.empty()) object["problem"] = path.problem;
  return object;
}

boost::json::object revision_json(const ScaledRevision& revision, const ScaleApplier& applier,
                                  TimePoint now) {
  const cluster::Revision& listed = revision.observed.listed();
  boost::json::object object{{"name", text(revision.id().text())},
                             {"service", text(listed.service_id().text())},
                             {"share", listed.share},
                             {"state", text(to_string(revision.serving_state()))}};
  if (revision.observed.listed().is_paused()) object["paused"] = true;
  if (const auto last = revision.journal.last())
    put_decision(object, *last, listed.service_id(), now);
  put_replicas(object, revision.observed, now);
  const PodCount ready = revision.observed.listed().count(cluster::ReplicaPhase::kReady);
  object["activators"] = activators_json(revision, ready, now);
  object["path"] = path_json(revision.observed.listed().path);
  put_troubles(object, revision, now);
  const std::string rejected = applier.trouble(revision.id());
  if (!rejected.empty()) object["scaling_trouble"] = rejected;
  return object;
}

boost::json::object with_resources(const ScaledRevision& revision, const ScaleApplier& applier,
                                   TimePoint now, const StatusAddition& resources) {
  boost::json::object object = revision_json(revision, applier, now);
  const std::string added = resources ? resources(revision.observed.listed()) : std::string();
  if (!added.empty()) object["resources"] = boost::json::parse(added);
  return object;
}

/// Writes each service with its revisions below it.
boost::json::array services_json(const RevisionRegistry& registry, const ScaleApplier& applier,
                                 TimePoint now, const StatusAdditions& additions) {
  struct Service {
    ServiceRow row;
    boost::json::array revisions;
  };
  std::map<RevisionId, Service> by_name;
  registry.for_each([&](const RevisionId& /*id*/, const ScaledRevision& revision) {
    Service& service = by_name[revision.observed.listed().service_id()];
    service.row.add(revision, applier);
    service.revisions.push_back(with_resources(revision, applier, now, additions.resources));
  });
  boost::json::array services;
  for (auto& [name, service] : by_name) {
    boost::json::value row = boost::json::parse(service.row.json(name, additions.traffic));
    row.as_object()["revisions"] = std::move(service.revisions);
    services.push_back(std::move(row));
  }
  return services;
}

boost::json::object refused_json(const StatGuard& guard, TimePoint now) {
  boost::json::object counts;
  for (std::size_t i = 0; i < kRefusalNames.size(); ++i) {
    counts[kRefusalNames[i]] = guard.refused(static_cast<Refusal>(i));
  }
  const LastRefusal& last = *guard.last_refusal();
  return {{"total", guard.refused()},
          {"by_reason", std::move(counts)},
          {"last",
           {{"age_ms", to_milliseconds(now - last.at)},
            {"reason", kRefusalNames[static_cast<std::size_t>(last.why)]},
            {"peer", text(last.peer)},
            {"of", text(last.subject)}}}};
}

}  // namespace

std::string status_json(const RevisionRegistry& registry, const ScaleApplier& applier,
                        const cluster::Cluster& cluster, const StatGuard& guard, TimePoint now,
                        const StatusAdditions& additions) {
  boost::json::object status{{"version", 2}};
  if (const auto since = cluster.unreachable_since()) {
    status["cluster"] = {{"unreachable_ms", to_milliseconds(now - *since)}};
  }
  const std::string machine = additions.machine ? additions.machine() : std::string();
  if (!machine.empty()) status["machine"] = boost::json::parse(machine);
  const std::string changes = additions.changes ? additions.changes() : std::string();
  if (!changes.empty()) {
    const boost::json::value added = boost::json::parse(changes);  // outlives the loop
    for (const auto& [key, value] : added.as_object()) status[key] = value;
  }
  if (guard.last_refusal()) status["refused_stats"] = refused_json(guard, now);
  status["services"] = services_json(registry, applier, now, additions);
  return boost::json::serialize(status) + "\n";
}

std::string revision_status_json(const ScaledRevision& revision, const ScaleApplier& applier,
                                 TimePoint now, const StatusAddition& resources) {
  return boost::json::serialize(with_resources(revision, applier, now, resources));
}

std::string decisions_json(const ScaledRevision& revision, TimePoint now) {
  std::vector<JournalEntry> entries = revision.journal.entries();
  std::reverse(entries.begin(), entries.end());  // the newest first
  boost::json::array decisions;
  for (const JournalEntry& entry : entries) decisions.push_back(decision_json(entry.decision, now));
  return boost::json::serialize(boost::json::object{{"version", 1},
                                                    {"name", text(revision.id().text())},
                                                    {"decisions", std::move(decisions)}}) +
         "\n";
}

}  // namespace bellows::autoscaler
