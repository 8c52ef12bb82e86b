#include "machine/service/deployer.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/name_list.hpp"
#include "base/sys/log.hpp"

namespace bellows::machine {
namespace {

namespace log = sys::log;
using machine::Number;
using machine::revision_id;
using machine::RevisionRecord;
using machine::ServiceChange;
using machine::ServiceRecord;
using machine::Shares;

constexpr std::int32_t kWhole = 100;

std::string names_of(const machine::Records& records) {
  std::vector<std::string> names;
  for (const auto& [name, record] : records) {
    if (!record.is_removed()) names.push_back(name.text());
  }
  return name_list(names);
}

RevisionId first_revision(const ServiceRecord& service) {
  return revision_id(service.name, service.revisions.front().number);
}

/// The record as it would be, for the checks of routes.
std::optional<ServiceRecord> after(const machine::Records& records, const ServiceChange& change) {
  if (change.is_removed) return std::nullopt;
  if (change.is_new) return machine::new_service(*change.content);
  ServiceRecord record = records.at(change.service);
  if (change.route) record.route = *change.route;
  if (change.content) machine::revision_for(record, *change.content);
  return record;
}

/// What the changed services ask for.
std::vector<cluster::ReplicaBounds> bounds_of(const std::vector<ServiceChange>& changes) {
  std::vector<cluster::ReplicaBounds> bounds;
  for (const ServiceChange& change : changes) {
    const config::RevisionSettings* settings = nullptr;
    if (change.content) settings = &*(*change.content)->settings;
    if (change.new_settings) settings = &*change.new_settings;
    if (settings == nullptr && !change.is_removed) continue;  // its route changes, no more
    bounds.push_back({.service = change.service,
                      .min_scale = settings == nullptr ? 0 : settings->min_scale,
                      .max_scale = settings == nullptr ? 0 : settings->max_scale});
  }
  return bounds;
}

}  // namespace

Deployer::Deployer(http::net::io_context& io, const sys::Clock& clock,
                   cluster::LocalCluster& cluster, machine::Records records,
                   DeployerOptions options)
    : clock_(clock),
      cluster_(cluster),
      records_(std::move(records)),
      index_(records_),
      options_(std::move(options)),
      state_(options_.state_file, records_),
      tasks_(io) {}

// Orders.

Result<ServiceAnswer> Deployer::apply(const machine::FileServices& file, machine::Scope scope,
                                      const ServiceOrder& order) {
  const std::vector<ServiceChange> changes = machine::differences(records_, file, scope);
  BELLOWS_CHECKED(check(changes));
  return carry_out(changes, file, order);
}

Result<ServiceAnswer> Deployer::deploy(const config::Service& content, const ServiceOrder& order) {
  BELLOWS_TRY(ServiceRecord record, existing(content.name));
  if (!order.tag.empty() && order.canary) {
    return fail(ErrorKind::kInvalidSetting, "canary and tag",
                "a revision that is deployed with a tag gets no other requests; want one of them");
  }
  if (!order.tag.empty()) return deploy_tagged(std::move(record), content, order);
  auto change = machine::difference(record, content);
  if (!change) return ServiceAnswer();
  BELLOWS_CHECKED(check({*change}));
  if (order.canary) return begin_canary(record, *change, order);
  return carry_out({*change}, {}, order);
}

Result<ServiceAnswer> Deployer::add(const config::Service& service, const ServiceOrder& order) {
  const auto record = records_.find(service.name);
  if (record != records_.end() && !record->second.is_removed()) {
    return fail(ErrorKind::kConflict, "service " + service.name.text(),
                "is there already; `bellows deploy` changes it");
  }
  const ServiceChange change = machine::addition(service);
  BELLOWS_CHECKED(check({change}));
  ServiceAnswer answer{.lines = {change.text}, .rolling_out = {}};
  if (order.dry_run) return answer;
  ServiceRecord next = record == records_.end()
                           ? machine::new_service(service, free_number(service.name, 1))
                           : record->second;
  if (record != records_.end()) machine::revision_for(next, service);
  next.route = service.route;
  const Number number = next.revisions.back().number;
  next.revisions.back().share = 0;
  BELLOWS_CHECKED(begin(std::move(next), {{number, 100}}, order, answer));
  return answer;
}

Result<ServiceAnswer> Deployer::remove(const RevisionId& service, const ServiceOrder& order) {
  BELLOWS_TRY(const ServiceRecord record, existing(service));
  ServiceAnswer answer{.lines = {machine::removal(record).text}, .rolling_out = {}};
  machine::Edits edits;
  std::optional<ServiceRecord>& edit = edits[service];
  if (record.declared) {
    edit = record;
    edit->revisions.clear();  // the settings file still has it
    edit->tags.clear();
  }
  BELLOWS_CHECKED(machine::check_removed(records_, edits));
  if (order.dry_run) return answer;
  BELLOWS_CHECKED(take_effect(std::move(edits), {machine::removal(record)}));
  return answer;
}

Result<ServiceAnswer> Deployer::roll_back(const RevisionId& service, const std::string& to,
                                          const ServiceOrder& order) {
  if (CanaryRun* const run = running_canary(service)) {
    if (to.empty()) return end_canary(service, *run, order);
    return fail(ErrorKind::kConflict, "service " + service.text(),
                "a canary is under way; want no --to: it goes back to what was before it");
  }
  BELLOWS_TRY(ServiceRecord record, existing(service));
  std::optional<Number> number =
      to.empty() ? std::optional(record.previous) : machine::number_of(record, to);
  if (to.empty() && record.find(record.previous) == nullptr) {
    return fail(
        ErrorKind::kNotFound, "service " + service.text(),
        "had no other revision before; --to names one of " + machine::revision_names(record));
  }
  if (!number) {
    return fail(ErrorKind::kNotFound, "revision " + to,
                "there is none; want one of " + machine::revision_names(record));
  }
  return split(service, {{revision_id(service, *number).text(), 100}}, order);
}

Result<ServiceAnswer> Deployer::split(const RevisionId& service,
                                      const std::map<std::string, std::int32_t>& asked,
                                      const ServiceOrder& order) {
  BELLOWS_TRY(ServiceRecord record, existing(service));
  Shares shares;
  for (const auto& [name, share] : asked) {
    const std::optional<Number> number = machine::number_of(record, name);
    if (!number) {
      return fail(ErrorKind::kNotFound, "revision " + name,
                  "there is none; want one of " + machine::revision_names(record));
    }
    if (share > 0) shares[*number] += share;
  }
  const std::int32_t sum =
      std::accumulate(shares.begin(), shares.end(), 0,
                      [](std::int32_t before, const auto& entry) { return before + entry.second; });
  if (sum != 100) {
    return fail(ErrorKind::kInvalidSetting, "shares of " + service.text(),
                "add up to " + std::to_string(sum) + ", want 100");
  }
  if (shares == record.shares()) return ServiceAnswer();
  ServiceAnswer answer{.lines = {service.text() + ": " + shares_text(record, record.shares()) +
                                 " -> " + shares_text(record, shares)},
                       .rolling_out = {}};
  if (order.dry_run) return answer;
  BELLOWS_CHECKED(begin(std::move(record), shares, order, answer));
  return answer;
}

Result<const ServiceRecord*> Deployer::find(const RevisionId& service) const {
  const auto found = records_.find(service);
  if (found != records_.end() && !found->second.is_removed()) return &found->second;
  return fail(ErrorKind::kNotFound, "service " + service.text(),
              "there is none; want one of: " + names_of(records_));
}

Result<ServiceRecord> Deployer::existing(const RevisionId& service) const {
  BELLOWS_TRY(const ServiceRecord* record, find(service));
  BELLOWS_CHECKED(check_idle(service));
  return *record;
}

Result<void> Deployer::check_idle(const RevisionId& service) const {
  if (is_stopping_) {
    return fail(ErrorKind::kUnavailable, "service " + service.text(),
                "stays as it is: Bellows is draining and ends; want the order after its restart");
  }
  const auto canary = canaries_.find(service);
  if (canary != canaries_.end() && !canary->second.canary.is_over()) {
    return fail(ErrorKind::kConflict, "service " + service.text(),
                "a canary is under way (" + canary->second.canary.message(clock_.now()) +
                    "); `bellows rollback " + service.text() + "` ends it");
  }
  const auto running = rollouts_.find(service);
  if (running == rollouts_.end() || running->second.rollout.is_over()) return {};
  const machine::Rollout& rollout = running->second.rollout;
  return fail(ErrorKind::kConflict, "service " + service.text(),
              "a " + rollout.plan().cause + " is under way (" + rollout.message() +
                  "); it ends within its progress-deadline");
}

/// All of them, before the first is carried out.
Result<void> Deployer::check(const std::vector<ServiceChange>& changes) const {
  machine::Edits edits;
  for (const ServiceChange& change : changes) {
    BELLOWS_CHECKED(check_idle(change.service));
    edits.insert_or_assign(change.service, after(records_, change));
  }
  for (const ServiceChange& change : changes) {
    if (change.new_settings) {
      BELLOWS_CHECKED(
          machine::check_fallback(records_, edits, change.service, *change.new_settings));
    }
    if (change.content) {
      BELLOWS_CHECKED(
          machine::check_fallback(records_, edits, change.service, *(*change.content)->settings));
      const config::Service content = change.content->whole();
      BELLOWS_CHECKED(check_measured(content));
      BELLOWS_CHECKED(cluster_.check(content));
    }
  }
  BELLOWS_CHECKED(cluster_.check_fit(bounds_of(changes)));
  BELLOWS_CHECKED(machine::check_removed(records_, edits));
  return index_.check(records_, edits);
}

/// The recommender, which reads what apps use, is started only if a service needs it then.
Result<void> Deployer::check_measured(const config::Service& revision) const {
  const bool is_measured = revision.settings.resources.mode != config::ResourcesMode::kOff;
  if (!is_measured || options_.is_measuring) return {};
  return fail(ErrorKind::kUnsupported, "service " + revision.name.text() + ": resources-mode",
              "no service was measured when Bellows started; want a restart, or off");
}

// Carrying out.

/// What takes effect at once does so together, with one write of the state file; then rollouts
/// begin. `file`: the services of a settings file that is applied; empty: none is.
Result<ServiceAnswer> Deployer::carry_out(const std::vector<ServiceChange>& changes,
                                          const machine::FileServices& file,
                                          const ServiceOrder& order) {
  ServiceAnswer answer;
  for (const ServiceChange& change : changes) answer.lines.push_back(change.text);
  if (order.dry_run) return answer;
  machine::Edits edits;                         // take effect together
  std::map<RevisionId, ServiceRecord> rolling;  // take effect when what they need is ready
  for (const ServiceChange& change : changes) {
    if (!change.is_new && change.content) {
      rolling.emplace(change.service, *after(records_, change));
    } else {
      edits.insert_or_assign(change.service, changed_now(change));
    }
  }
  for (const machine::SharedService& service : machine::redeclared(records_, file)) {
    if (const auto record = rolling.find(service->name); record != rolling.end()) {
      record->second.declared = service;
    } else {
      const ServiceRecord* const now = machine::find(records_, edits, service->name);
      std::optional<ServiceRecord>& edit = edits[service->name];
      if (!edit) edit = *now;
      edit->declared = service;
    }
  }
  BELLOWS_CHECKED(take_effect(std::move(edits), changes));
  for (const ServiceChange& change : changes) {
    const auto record = rolling.find(change.service);
    if (record == rolling.end()) continue;
    const Number number = machine::revision_for(record->second, *change.content).number;
    BELLOWS_CHECKED(begin(std::move(record->second), {{number, 100}}, order, answer));
  }
  return answer;
}

/// A new service is added at zero: what is started by its first request disturbs no other, and a
/// thousand of them are added at once.
std::optional<ServiceRecord> Deployer::changed_now(const ServiceChange& change) const {
  if (change.is_removed) return std::nullopt;
  const auto before = records_.find(change.service);
  if (change.is_new) {
    const Number number = before == records_.end() ? 1 : before->second.next_number;
    return machine::new_service(*change.content, free_number(change.service, number));
  }
  ServiceRecord record = before->second;
  if (change.route) record.route = *change.route;
  if (change.new_settings) {
    machine::set_settings(*record.find(record.current()->number), *change.new_settings);
  }
  return record;
}

/// After an error nothing has changed.
Result<void> Deployer::take_effect(machine::Edits edits,
                                   const std::vector<ServiceChange>& changes) {
  BELLOWS_CHECKED(list_new(edits, changes));
  if (auto saved = state_.save(edits); !saved) {
    for (const ServiceChange& change : changes) {
      if (change.is_new) (void)cluster_.remove(first_revision(*edits.at(change.service)));
    }
    return saved;
  }
  for (const ServiceChange& change : changes) {
    if (!change.is_removed) continue;
    const ServiceRecord& old = records_.at(change.service);
    for (const RevisionRecord& revision : old.revisions) {
      if (is_reachable(old, revision)) leave(change.service, revision);
    }
    rollouts_.erase(change.service);
    canaries_.erase(change.service);
    log::info("service removed", {{"service", change.service.text()}});
  }
  keep(std::move(edits));
  for (const ServiceChange& change : changes) {
    if (change.is_new) log::info("service added", {{"service", change.service.text()}});
    if (!change.is_new && !change.is_removed && !change.content) show(change);
  }
  start_watching();
  return {};
}

void Deployer::keep(machine::Edits edits) {
  for (const auto& [name, record] : edits) {
    index_.replace(machine::find(records_, {}, name), record ? &*record : nullptr);
  }
  machine::carry_out(std::move(edits), records_);
}

Result<void> Deployer::list_new(const machine::Edits& edits,
                                const std::vector<ServiceChange>& changes) {
  std::vector<RevisionId> listed;
  for (const ServiceChange& change : changes) {
    if (!change.is_new) continue;
    const ServiceRecord& service = *edits.at(change.service);
    if (auto added = cluster_.add(machine::runnable(service, service.revisions.front())); !added) {
      for (const RevisionId& id : listed) (void)cluster_.remove(id);
      return added;
    }
    listed.push_back(first_revision(service));
  }
  return {};
}

/// Changed settings and routes to the cluster and the log.
void Deployer::show(const ServiceChange& change) {
  const ServiceRecord& service = records_.at(change.service);
  for (const RevisionRecord& revision : service.revisions) {
    if (!is_reachable(service, revision)) continue;
    const RevisionId id = revision_id(service.name, revision.number);
    if (auto placed = cluster_.place(id, route_for(service, revision), revision.share); !placed) {
      log::warning("route not changed", {{"error", to_string(placed.error())}});
    }
    configure(service, revision);
  }
  if (!change.settings.empty()) {
    log::info("settings changed", {{"service", change.service.text()},
                                   {"changes", config::changes_text(change.settings)}});
  }
  if (change.route) log::info("route changed", {{"change", change.text}});
}

Result<void> Deployer::begin(ServiceRecord next, const Shares& shares, const ServiceOrder& order,
                             ServiceAnswer& answer) {
  const RevisionId service = next.name;
  if (order.cause != kCanary) canaries_.erase(service);
  Running running{.rollout = machine::Rollout(plan_of(next, shares, order), clock_.now()),
                  .next = std::move(next)};
  BELLOWS_CHECKED(note_under_way(running));
  if (auto listed = list(running); !listed) {
    for (const RevisionId& id : running.listed) (void)cluster_.remove(id);
    if (const auto record = records_.find(service); record != records_.end()) {
      record->second.under_way.clear();
      if (order.cause != kCanary) record->second.before_canary.clear();
      if (auto saved = state_.save({{service, record->second}}); !saved) {
        log::warning("state not saved", {{"error", to_string(saved.error())}});
      }
    }
    return listed;
  }
  log::info("rollout started", {{"service", service.text()},
                                {"by", order.cause},
                                {"to", shares_text(running.next, shares)},
                                {"needs", running.rollout.message()}});
  rollouts_.insert_or_assign(service, std::move(running));
  answer.rolling_out.push_back(service);
  look(rollouts_.at(service));
  start_watching();
  return {};
}

/// Before anything starts: a number that was used is known after a crash, and so is what did not
/// take effect. A state file that cannot be written is known before too.
Result<void> Deployer::note_under_way(const Running& running) {
  const auto place = records_.find(running.next.name);
  if (place == records_.end() || place->second.is_removed()) return {};
  ServiceRecord noted = running.next;
  // Until the shares change, a crash still goes back to those before the canary.
  if (noted.before_canary.empty()) noted.before_canary = place->second.before_canary;
  noted.route = place->second.route;
  noted.declared = place->second.declared;
  noted.tags = place->second.tags;
  noted.under_way =
      running.rollout.plan().cause + " to " + shares_text(noted, running.rollout.plan().shares);
  BELLOWS_CHECKED(state_.save({{noted.name, noted}}));
  place->second = std::move(noted);
  return {};
}

machine::RolloutPlan Deployer::plan_of(const ServiceRecord& next, const Shares& shares,
                                       const ServiceOrder& order) const {
  machine::RolloutPlan plan{.service = next.name,
                            .cause = order.cause,
                            .shares = shares,
                            .needed = {},
                            .progress_deadline = {}};
  PodCount serving = 0;
  for (const RevisionRecord& revision : next.revisions) {
    if (revision.share > 0 && order.tag.empty()) {
      serving += ready(revision_id(next.name, revision.number));
    }
  }
  Shares needed = shares;
  if (!order.tag.empty()) needed = {{next.tags.at(order.tag), kWhole}};
  for (const auto& [number, share] : needed) {
    const RevisionRecord& revision = *next.find(number);
    const config::RevisionSettings& settings = *revision.content->settings;
    plan.needed[number] = machine::replicas_for({.serving = serving,
                                                 .share = share,
                                                 .max_scale = settings.max_scale,
                                                 .is_proven = revision.was_ready || !order.probe});
    plan.progress_deadline = std::max(plan.progress_deadline, settings.progress_deadline);
  }
  return plan;
}

/// Lists what is to get requests, without a share as yet, at the number that it needs.
Result<void> Deployer::list(Running& running) {
  for (const auto& [number, needed] : running.rollout.plan().needed) {
    const RevisionRecord& revision = *running.next.find(number);
    const RevisionId id = revision_id(running.next.name, number);
    floors_[id] = {.service = running.next.name, .replicas = needed};
    if (is_listed(id)) {
      leaving_.erase(id);  // it goes back
      configure(running.next, revision);
      order(id, needed);
      continue;
    }
    config::ServiceRevision run = machine::runnable(running.next, revision);
    run.share = 0;
    run.route.tags.clear();  // nor the requests of its tags
    run.settings = config::shared_settings(machine::settings_in_force(*run.settings, 0, needed));
    const ReplicaSize size =
        options_.size_of_first ? options_.size_of_first(run.whole()) : ReplicaSize();
    if (auto added = cluster_.add(std::move(run), size); !added) {
      floors_.erase(id);
      return added;
    }
    running.listed.push_back(id);
  }
  return {};
}

/// The autoscaler follows the settings within 2 s; going back must not wait for that.
void Deployer::order(const RevisionId& id, PodCount replicas) {
  if (cluster_.revisions().find(id)->requested >= replicas) return;
  tasks_.spawn("order", [this, id, replicas]() -> http::Awaitable<void> {
    cluster::ScaleOrder order;
    order.desired = replicas;
    order.reason = "it is to take over requests";
    const auto ordered = co_await cluster_.scale(id, std::move(order));
    if (!ordered) log::warning("not ordered", {{"error", to_string(ordered.error())}});
  });
}

}  // namespace bellows::machine
