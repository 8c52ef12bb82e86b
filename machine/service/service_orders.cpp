#include "machine/service/service_orders.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/duration_text.hpp"
#include "base/sys/log.hpp"
#include "machine/core/port_checks.hpp"

namespace bellows::machine {
namespace {

namespace log = sys::log;

RevisionId first_revision(const ServiceRecord& service) {
  return revision_id(service.name, service.revisions.front().number);
}

/// Returns "web-00002, web-00003": the revisions besides the present one whose last start did not
/// fail.
std::string proven_names(const ServiceRecord& service) {
  std::string names;
  for (const RevisionRecord& revision : service.revisions) {
    if (!revision.failure.empty() || revision.share == kWhole) continue;
    names += (names.empty() ? "" : ", ") + revision_id(service.name, revision.number).text();
  }
  return names;
}

/// Returns how a revision takes over the port of another one; empty: none does.
std::string port_text(const ServiceRecord& service, const Shares& shares) {
  for (const auto& [number, share] : shares) {
    const RevisionRecord& revision = *service.find(number);
    if (revision.share > 0 || !has_port_of_another(service, revision)) continue;
    return service.name.text() + ": port " + std::to_string(revision.content->settings->port) +
           " is fixed: the app of " + revision_id(service.name, number).text() +
           " starts after the one before has ended; requests wait meanwhile. If it does not become "
           "ready those fail, and the one before serves again";
  }
  return {};
}

/// Returns that new shares bring back a retired service; empty: they do not, or it is none.
std::string return_text(const ServiceRecord& before, const Shares& shares,
                        const RevisionPlacer& placer) {
  const auto serves = [&](const auto& entry) {
    return !placer.is_retired(revision_id(before.name, entry.first));
  };
  if (!placer.is_retired(before) || std::ranges::none_of(shares, serves)) return {};
  return before.name.text() + ": it was retired; this brings it back";
}

Error no_revision(const ServiceRecord& service, const std::string& name) {
  return {ErrorKind::kNotFound, "revision " + name,
          "there is none; want one of " + revision_names(service)};
}

/// Returns "5% -> 25% -> 100%, 2m each, at least 100 requests".
std::string plan_text(const CanaryPlan& plan) {
  std::string text;
  for (const std::int32_t share : plan.shares) {
    text += (text.empty() ? "" : " -> ") + std::to_string(share) + "%";
  }
  return text + ", " + duration_text(plan.step) + " each, at least " +
         std::to_string(plan.min_requests) + " requests";
}

Edits removal_edits(const ServiceRecord& record) {
  if (!record.declared) return {{record.name, std::nullopt}};
  ServiceRecord remembered = record;  // the settings file still has it
  remembered.revisions.clear();
  remembered.tags.clear();
  remembered.under_way.clear();
  remembered.before_canary.clear();
  remembered.expires.reset();
  return {{record.name, std::move(remembered)}};
}

Result<Shares> read_shares(const ServiceRecord& service,
                           const std::map<std::string, std::int32_t>& asked) {
  Shares shares;
  for (const auto& [name, share] : asked) {
    const std::optional<Number> number = number_of(service, name);
    if (!number) return fail(no_revision(service, name));
    if (share > 0) shares[*number] += share;
  }
  const std::int32_t sum =
      std::accumulate(shares.begin(), shares.end(), 0,
                      [](std::int32_t before, const auto& entry) { return before + entry.second; });
  if (sum == kWhole) return shares;
  return fail(ErrorKind::kInvalidSetting, "shares of " + service.name.text(),
              "add up to " + std::to_string(sum) + ", want 100");
}

}  // namespace

ServiceOrders::ServiceOrders(const OrderChecks& checks, ServiceStore& store, RevisionPlacer& placer,
                             RolloutRunner& rollouts, CanaryRunner& canaries, TagOrders& tags)
    : checks_(checks),
      store_(store),
      placer_(placer),
      rollouts_(rollouts),
      canaries_(canaries),
      tags_(tags) {}

Result<ServiceAnswer> ServiceOrders::apply(const FileServices& file, Scope scope,
                                           const ServiceOrder& order) {
  const std::vector<ServiceChange> changes = differences(store_.records(), file, scope);
  BELLOWS_CHECKED(checks_.changes(changes));
  return carry_out(changes, file, order);
}

Result<ServiceAnswer> ServiceOrders::deploy(const config::Service& content,
                                            const ServiceOrder& order) {
  BELLOWS_TRY(ServiceRecord record, checks_.existing(content.name));
  if (!order.tag.empty() && order.canary) {
    return fail(ErrorKind::kInvalidSetting, "canary and tag",
                "a revision that is deployed with a tag gets no other requests; want one of them");
  }
  if (!order.tag.empty()) return tags_.deploy(std::move(record), content, order);
  auto change = difference(record, content);
  if (!change) return ServiceAnswer();
  BELLOWS_CHECKED(checks_.changes({*change}));
  if (order.canary) return begin_canary(record, *change, order);
  return carry_out({*change}, {}, order);
}

Result<ServiceAnswer> ServiceOrders::add(const config::Service& service,
                                         const ServiceOrder& order) {
  const ServiceRecord* const record = store_.find(service.name);
  if (record != nullptr && !record->is_removed()) {
    return fail(ErrorKind::kConflict, "service " + service.name.text(),
                "exists already; `bellows deploy` changes it");
  }
  const ServiceChange change = addition(service);
  BELLOWS_CHECKED(checks_.changes({change}));
  ServiceAnswer answer{.lines = {change.text}, .rolling_out = {}};
  if (order.dry_run) return answer;
  std::optional<ServiceRecord> removed;  // the settings file has it
  if (record != nullptr) removed = *record;
  ServiceRecord next = removed.value_or(ServiceRecord());
  if (removed) {
    revision_for(next, service);
    next.route = service.route;
  } else {
    next = new_service(service, placer_.free_number(service.name, 1));
  }
  const Shares shares{{next.revisions.back().number, kWhole}};
  set_shares(next, shares);
  next.expires = order.expires;
  BELLOWS_CHECKED(take_effect({{service.name, next}}, {change}));
  BELLOWS_CHECKED(rollouts_.begin_addition(std::move(next), std::move(removed), order));
  answer.rolling_out.push_back(service.name);
  return answer;
}

/// What is under way ends with the service: a preview may be removed before it is ready.
Result<ServiceAnswer> ServiceOrders::remove(const RevisionId& service, const ServiceOrder& order) {
  BELLOWS_TRY(const ServiceRecord before, checks_.removable(service));
  ServiceAnswer answer{.lines = {removal(before).text}, .rolling_out = {}};
  BELLOWS_CHECKED(check_removed(store_.records(), removal_edits(before)));
  if (order.dry_run) return answer;
  rollouts_.end(service, "the service was removed");
  const ServiceRecord* const record = store_.find(service);
  if (record == nullptr || record->is_removed()) return answer;  // its addition has ended so
  BELLOWS_CHECKED(take_effect(removal_edits(*record), {removal(*record)}));
  return answer;
}

Result<ServiceAnswer> ServiceOrders::roll_back(const RevisionId& service, const std::string& to,
                                               const ServiceOrder& order) {
  if (const RunningCanary* const run = canaries_.under_way(service)) {
    if (to.empty()) return end_canary(service, *run, order);
    return fail(ErrorKind::kConflict, "service " + service.text(),
                "a canary is under way; want no --to: it rolls back to the shares before it");
  }
  BELLOWS_TRY(const ServiceRecord record, checks_.existing(service));
  const std::optional<Number> number =
      to.empty() ? std::optional(record.previous) : number_of(record, to);
  if (to.empty() && record.find(record.previous) == nullptr) {
    const std::string proven = proven_names(record);
    return fail(
        ErrorKind::kNotFound, "service " + service.text(),
        "had no other revision before" + (proven.empty() ? "" : "; --to names one of " + proven));
  }
  if (!number) return fail(no_revision(record, to));
  return split(service, {{revision_id(service, *number).text(), kWhole}}, order);
}

Result<ServiceAnswer> ServiceOrders::split(const RevisionId& service,
                                           const std::map<std::string, std::int32_t>& asked,
                                           const ServiceOrder& order) {
  BELLOWS_TRY(ServiceRecord record, checks_.existing(service));
  BELLOWS_TRY(const Shares shares, read_shares(record, asked));
  if (shares == record.shares()) return ServiceAnswer();
  BELLOWS_CHECKED(checks_.ports(record, shares));
  ServiceAnswer answer{.lines = {service.text() + ": " + shares_text(record, record.shares()) +
                                 " -> " + shares_text(record, shares)},
                       .rolling_out = {}};
  if (order.dry_run) return answer;
  BELLOWS_CHECKED(begin(std::move(record), shares, order, answer));
  return answer;
}

/// Applies all immediate changes together, with one write of the state file; then starts rollouts.
/// `file`: the services of a settings file that is applied; empty: none is.
Result<ServiceAnswer> ServiceOrders::carry_out(const std::vector<ServiceChange>& changes,
                                               const FileServices& file,
                                               const ServiceOrder& order) {
  ServiceAnswer answer;
  for (const ServiceChange& change : changes) answer.lines.push_back(change.text);
  if (order.dry_run) return answer;
  const Records& records = store_.records();
  Edits edits;  // take effect together
  // Take effect when the replicas that they need are ready.
  std::map<RevisionId, ServiceRecord> rolling;
  for (const ServiceChange& change : changes) {
    if (!change.is_new && change.content) {
      rolling.emplace(change.service, *after(records, change));
    } else {
      edits.insert_or_assign(change.service, changed_now(change));
    }
  }
  for (const SharedService& service : redeclared(records, file)) {
    if (const auto record = rolling.find(service->name); record != rolling.end()) {
      record->second.declared = service;
      record->second.expires.reset();
    } else {
      const ServiceRecord* const now = find(records, edits, service->name);
      std::optional<ServiceRecord>& edit = edits[service->name];
      if (!edit) edit = *now;
      edit->declared = service;
      edit->expires.reset();
    }
  }
  BELLOWS_CHECKED(take_effect(std::move(edits), changes));
  for (const ServiceChange& change : changes) {
    const auto record = rolling.find(change.service);
    if (record == rolling.end()) continue;
    const Number number = revision_for(record->second, *change.content).number;
    BELLOWS_CHECKED(begin(std::move(record->second), {{number, kWhole}}, order, answer));
  }
  return answer;
}

/// A new service is added at zero: its first request starts it without disturbing others, and a
/// thousand of them are added at once.
std::optional<ServiceRecord> ServiceOrders::changed_now(const ServiceChange& change) const {
  if (change.is_removed) return std::nullopt;
  const ServiceRecord* const before = store_.find(change.service);
  if (change.is_new) {
    const Number number = before == nullptr ? 1 : before->next_number;
    return new_service(*change.content, placer_.free_number(change.service, number));
  }
  ServiceRecord record = *before;
  if (change.route) record.route = *change.route;
  if (change.new_settings) {
    set_settings(*record.find(record.current()->number), *change.new_settings);
  }
  return record;
}

/// Applies all edits, or none after an error.
Result<void> ServiceOrders::take_effect(Edits edits, const std::vector<ServiceChange>& changes) {
  BELLOWS_CHECKED(list_new(edits, changes));
  std::vector<RevisionId> listed;
  std::vector<ServiceRecord> removed;
  for (const ServiceChange& change : changes) {
    if (change.is_new) listed.push_back(first_revision(*edits.at(change.service)));
    if (change.is_removed) removed.push_back(*store_.find(change.service));
  }
  if (auto changed = store_.change(std::move(edits)); !changed) {
    for (const RevisionId& id : listed) placer_.remove(id);
    return changed;
  }
  for (const ServiceRecord& old : removed) {
    for (const RevisionRecord& revision : old.revisions) {
      if (is_reachable(old, revision)) placer_.leave(old.name, revision);
    }
    rollouts_.forget(old.name);
    canaries_.forget(old.name);
    log::info("service removed", {{"service", old.name.text()}});
  }
  for (const ServiceChange& change : changes) {
    if (change.is_new) log::info("service added", {{"service", change.service.text()}});
    if (!change.is_new && !change.is_removed && !change.content) show(change);
  }
  return {};
}

Result<void> ServiceOrders::list_new(const Edits& edits,
                                     const std::vector<ServiceChange>& changes) {
  std::vector<RevisionId> listed;
  for (const ServiceChange& change : changes) {
    if (!change.is_new) continue;
    const ServiceRecord& service = *edits.at(change.service);
    if (auto added = placer_.list(service, service.revisions.front()); !added) {
      for (const RevisionId& id : listed) placer_.remove(id);
      return added;
    }
    listed.push_back(first_revision(service));
  }
  return {};
}

/// Passes changed settings and routes to the cluster and the log.
void ServiceOrders::show(const ServiceChange& change) {
  placer_.update(*store_.find(change.service));
  if (!change.settings.empty()) {
    log::info("settings changed", {{"service", change.service.text()},
                                   {"changes", config::changes_text(change.settings)}});
  }
  if (!change.route) return;
  log::info("route changed", {{"service", change.service.text()}, {"change", change.text}});
}

Result<void> ServiceOrders::begin(ServiceRecord next, const Shares& shares,
                                  const ServiceOrder& order, ServiceAnswer& answer) {
  const RevisionId service = next.name;
  const std::string waits = port_text(next, shares);
  const std::string returns = return_text(*store_.find(service), shares, placer_);
  canaries_.forget(service);
  BELLOWS_CHECKED(rollouts_.begin(std::move(next), shares, order));
  answer.rolling_out.push_back(service);
  if (!waits.empty()) answer.lines.push_back(waits);
  if (!returns.empty()) answer.lines.push_back(returns);
  return {};
}

Result<ServiceAnswer> ServiceOrders::begin_canary(const ServiceRecord& record,
                                                  const ServiceChange& change,
                                                  const ServiceOrder& order) {
  const std::string name = record.name.text();
  BELLOWS_CHECKED(check(*order.canary));
  if (!change.content) {
    return fail(ErrorKind::kInvalidSetting, "canary",
                "these settings take effect at once and make no revision; want none");
  }
  ServiceRecord next = record;
  const Number number = revision_for(next, *change.content).number;
  if (next.find(number)->share > 0) {
    return fail(
        ErrorKind::kInvalidSetting, "canary",
        revision_id(record.name, number).text() + " gets requests already; want `bellows split`");
  }
  if (placer_.is_retired(record)) {
    return fail(ErrorKind::kConflict, "service " + name,
                "is retired, so that requests beside the canary would get 410 Gone; want `bellows "
                "resume " +
                    name + "` before");
  }
  ServiceAnswer answer{.lines = {change.text, name + ": canary: " + plan_text(*order.canary)},
                       .rolling_out = {}};
  if (order.dry_run) return answer;
  if (change.route) next.route = *change.route;
  BELLOWS_CHECKED(canaries_.begin(std::move(next), number, order));
  answer.rolling_out.push_back(record.name);
  return answer;
}

/// Carries out `bellows rollback` while it runs.
Result<ServiceAnswer> ServiceOrders::end_canary(const RevisionId& service, const RunningCanary& run,
                                                const ServiceOrder& order) {
  const ServiceRecord& record = *store_.find(service);
  ServiceAnswer answer{
      .lines = {service.text() + ": the canary of " + revision_id(service, run.number).text() +
                " ends, " + shares_text(record, record.shares()) + " -> " +
                shares_text(record, run.before)},
      .rolling_out = {}};
  if (order.dry_run) return answer;
  BELLOWS_TRY(const bool has_begun, canaries_.roll_back(service, order));
  if (has_begun) answer.rolling_out.push_back(service);
  return answer;
}

}  // namespace bellows::machine
