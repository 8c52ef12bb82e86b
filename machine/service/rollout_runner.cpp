#include "machine/service/rollout_runner.hpp"

#include <algorithm>
#include <utility>

#include "base/sys/log.hpp"
#include "machine/core/port_checks.hpp"

namespace bellows::machine {
namespace {

namespace log = sys::log;

}  // namespace

Result<void> RolloutRunner::begin(ServiceRecord next, const Shares& shares,
                                  const ServiceOrder& order) {
  BELLOWS_CHECKED(check_port_of(next, shares));
  RunningRollout running{.rollout = Rollout(plan_of(next, shares, order), clock_.now()),
                         .next = std::move(next)};
  BELLOWS_CHECKED(note_under_way(running));
  return start(std::move(running), order);
}

/// The state file has the service already: after a crash it is there, and not proven.
Result<void> RolloutRunner::begin_addition(ServiceRecord added, std::optional<ServiceRecord> before,
                                           const ServiceOrder& order) {
  const Shares shares = added.shares();
  return start({.rollout = Rollout(plan_of(added, shares, order), clock_.now()),
                .next = std::move(added),
                .is_addition = true,
                .before_addition = std::move(before)},
               order);
}

Result<void> RolloutRunner::start(RunningRollout running, const ServiceOrder& order) {
  const RevisionId service = running.next.name;
  if (auto prepared = prepare(running); !prepared) {
    undo(running);
    return prepared;
  }
  log::info("rollout started", {{"service", service.text()},
                                {"by", order.cause},
                                {"to", shares_text(running.next, running.rollout.plan().shares)},
                                {"needs", running.rollout.message()}});
  look(running_.insert_or_assign(service, std::move(running)).first->second);
  return {};
}

RolloutPlan RolloutRunner::plan_of(const ServiceRecord& next, const Shares& shares,
                                   const ServiceOrder& order) const {
  RolloutPlan plan{.service = next.name,
                   .cause = order.cause,
                   .shares = shares,
                   .needed = {},
                   .progress_deadline = {}};
  PodCount serving = 0;
  std::optional<double> demand = 0;
  for (const RevisionRecord& revision : next.revisions) {
    if (revision.share == 0 || !order.tag.empty()) continue;
    const RevisionId id = revision_id(next.name, revision.number);
    serving += placer_.ready(id);
    const std::optional<double> part = placer_.demand(id);
    demand = demand && part ? std::optional(*demand + *part) : std::nullopt;
  }
  Shares needed = shares;
  if (!order.tag.empty()) needed = {{next.tags.at(order.tag), kWhole}};
  for (const auto& [number, share] : needed) {
    const RevisionRecord& revision = *next.find(number);
    const config::RevisionSettings& settings = *revision.content->settings;
    plan.needed[number] = replicas_for({.serving = serving,
                                        .demand = demand,
                                        .share = share,
                                        .max_scale = settings.max_scale,
                                        .is_proven = revision.was_ready || !order.probe});
    Duration deadline = settings.progress_deadline;
    if (has_port_of_another(next, revision)) {
      // Its app cannot start beside the one before, which ends after its last request.
      const bool is_proven = revision.was_ready || !order.probe;
      plan.needed[number] = is_proven ? 0 : 1;
      if (!is_proven) plan.in_place = number;
      deadline += settings.drain_time();
    }
    plan.progress_deadline = std::max(plan.progress_deadline, deadline);
  }
  return plan;
}

/// Saves the rollout before a replica starts. After a crash the used number and the rollout that
/// did not take effect are known. A state file that cannot be written fails the order here.
Result<void> RolloutRunner::note_under_way(const RunningRollout& running) {
  const ServiceRecord* const now = store_.find(running.next.name);
  if (now == nullptr || now->is_removed()) return {};
  const RolloutPlan& plan = running.rollout.plan();
  ServiceRecord noted = running.next;
  // Until the shares change, a crash still returns to those before the canary.
  if (noted.before_canary.empty()) noted.before_canary = now->before_canary;
  noted.route = now->route;
  noted.declared = now->declared;
  noted.tags = now->tags;
  noted.under_way = plan.cause + " to " + shares_text(noted, plan.shares);
  return store_.change({{noted.name, std::move(noted)}});
}

/// Lists the revisions that will get requests, without a share yet, with the replicas that they
/// need.
Result<void> RolloutRunner::prepare(RunningRollout& running) {
  for (const auto& [number, needed] : running.rollout.plan().needed) {
    const RevisionRecord& revision = *running.next.find(number);
    BELLOWS_TRY(const bool is_new, placer_.prepare(running.next, revision, needed));
    if (is_new) running.listed.push_back(revision_id(running.next.name, number));
  }
  return {};
}

/// Removes the revisions that a rollout listed before it failed to start.
void RolloutRunner::undo(const RunningRollout& running) {
  if (running.is_addition) return undo_addition(running);
  if (const ServiceRecord* const now = store_.find(running.next.name)) {
    ServiceRecord record = *now;
    record.under_way.clear();
    if (running.rollout.plan().cause != kCanary) record.before_canary.clear();
    store_.note(std::move(record));
  }
  remove_listed(running);
}

/// Requests that wait get their reason first, then new ones get 404.
void RolloutRunner::undo_addition(const RunningRollout& running) {
  const RevisionId service = running.next.name;
  if (auto undone = store_.change({{service, running.before_addition}}); !undone) {
    log::error("the service cannot be removed again",
               {{"service", service.text()}, {"error", to_string(undone.error())}});
    return;
  }
  for (const RevisionRecord& revision : running.next.revisions) placer_.leave(service, revision);
}

void RolloutRunner::end(const RevisionId& service, const std::string& why) {
  if (!is_under_way(service)) return;
  RunningRollout& running = running_.at(service);
  running.rollout.fail(why, clock_.now());
  if (!running.is_addition) return give_up(running);
  undo_addition(running);
  log::info("service removed", {{"service", service.text()}});
}

void RolloutRunner::look() {
  for (auto& [service, running] : running_) look(running);
}

void RolloutRunner::look(RunningRollout& running) {
  if (running.rollout.is_over()) return;
  const Seen seen = placer_.seen(running.next.name, running.rollout.plan().needed);
  const bool is_proving = running.rollout.stage() == Stage::kProving;
  const Stage stage = running.rollout.look(seen, clock_.now());
  if (stage == Stage::kReady) switch_over(running);
  if (stage == Stage::kFailed) give_up(running);
  if (stage == Stage::kDone && is_proving) prove(running);
}

/// Writes the file first, then changes the shares. After a crash between the two, the next start
/// uses the new ones.
void RolloutRunner::switch_over(RunningRollout& running) {
  const TimePoint now = clock_.now();
  ServiceRecord next = running.next;
  const Shares& shares = running.rollout.plan().shares;
  set_shares(next, shares);
  for (const auto& [number, needed] : running.rollout.plan().needed) {
    RevisionRecord& revision = *next.find(number);
    revision.failure.clear();
    revision.was_ready |= needed > 0 && running.rollout.plan().in_place != number;
  }
  const bool is_in_place = running.rollout.plan().in_place.has_value();
  if (!is_in_place) forget_old(next, keep_revisions_);
  const ServiceRecord* const before = store_.find(next.name);
  const std::vector<RevisionRecord> old =
      before == nullptr ? std::vector<RevisionRecord>() : before->revisions;
  std::optional<ServiceRecord> before_switch;
  if (before != nullptr && is_in_place) {
    before_switch = *before;
    next.before_canary = before->shares();  // for a start after a crash
    next.under_way = running.rollout.plan().cause + " to " + shares_text(next, shares);
  }
  if (auto changed = store_.change({{next.name, next}}); !changed) {
    running.rollout.fail(to_string(changed.error()), now);
    return give_up(running);
  }
  running.before_switch = std::move(before_switch);
  for (const RevisionRecord& revision : old) {
    const bool is_left = revision.share > 0 && !shares.contains(revision.number);
    if (is_left && tags_of(next, revision.number).empty()) placer_.leave(next.name, revision);
  }
  placer_.follow_tags(next);
  running.rollout.done(now);
  log::info(running.rollout.is_over() ? "rollout done" : "rollout waits for the app at its port",
            {{"service", next.name.text()},
             {"shares", shares_text(next, shares)},
             {"took", running.rollout.took(now)}});
}

/// The revision in place is ready.
void RolloutRunner::prove(RunningRollout& running) {
  running.before_switch.reset();
  const ServiceRecord* const now = store_.find(running.next.name);
  if (now == nullptr || now->is_removed()) return;
  ServiceRecord proven = *now;
  if (RevisionRecord* const revision = proven.find(*running.rollout.plan().in_place)) {
    revision->was_ready = true;
  }
  proven.before_canary.clear();
  proven.under_way.clear();
  forget_old(proven, keep_revisions_);
  store_.note(std::move(proven));
  log::info("rollout done",
            {{"service", running.next.name.text()}, {"took", running.rollout.took(clock_.now())}});
}

/// Ends the rollout with the old shares.
void RolloutRunner::give_up(RunningRollout& running) {
  const RevisionId service = running.next.name;
  for (const auto& [number, needed] : running.rollout.plan().needed) {
    const std::vector<std::string> lines = placer_.last_lines(revision_id(service, number));
    if (!lines.empty()) running.last_lines = lines;
  }
  if (running.is_addition) {
    undo_addition(running);
    log::error("the service is not added",
               {{"service", service.text()}, {"error", running.rollout.message()}});
    return;
  }
  const ServiceRecord* const now = store_.find(service);
  const bool is_there = now != nullptr && !now->is_removed();
  if (const auto before = std::exchange(running.before_switch, std::nullopt)) {
    if (is_there) return_to(*before, running);
    return;
  }
  if (is_there) store_.note(after_failure(running, *now));
  remove_listed(running);
  log::error("rollout failed, the shares stay as they are",
             {{"service", service.text()}, {"error", running.rollout.message()}});
}

/// The revision in place did not become ready: those before it get the requests again.
void RolloutRunner::return_to(const ServiceRecord& before, const RunningRollout& running) {
  const ServiceRecord back = after_failure(running, before);
  const RevisionId& service = back.name;
  if (auto changed = store_.change({{service, back}}); !changed) {
    log::error("the revision before cannot be written to the state file",
               {{"service", service.text()}, {"error", to_string(changed.error())}});
    return;
  }
  placer_.remove(revision_id(service, *running.rollout.plan().in_place));  // its port is needed
  for (const RevisionRecord& revision : back.revisions) {
    if (revision.share == 0) continue;
    if (auto listed = placer_.prepare(back, revision, 0); !listed) {
      log::error("the revision before cannot be listed again",
                 {{"service", service.text()}, {"error", to_string(listed.error())}});
    }
  }
  placer_.follow_tags(back);
  log::error("rollout failed, the revision before gets the requests again",
             {{"service", service.text()}, {"error", running.rollout.message()}});
}

/// Restores the previous revisions; those that were leaving leave.
void RolloutRunner::remove_listed(const RunningRollout& running) {
  const RevisionId service = running.next.name;
  for (const auto& [number, needed] : running.rollout.plan().needed) {
    placer_.drop_floor(revision_id(service, number));
  }
  for (const RevisionId& id : running.listed) placer_.remove(id);
  const ServiceRecord* const now = store_.find(service);
  if (now != nullptr) {
    for (const RevisionRecord& revision : now->revisions) placer_.configure(*now, revision);
  }
  for (const RevisionRecord& revision : running.next.revisions) {
    const bool was_leaving =
        revision.share == 0 && placer_.is_listed(revision_id(service, revision.number));
    const bool is_tagged = now != nullptr && !tags_of(*now, revision.number).empty();
    if (was_leaving && !is_tagged) placer_.leave(service, revision);
  }
}

/// The failed revision keeps its number, so that no other content gets it.
ServiceRecord RolloutRunner::after_failure(const RunningRollout& running,
                                           const ServiceRecord& now) const {
  ServiceRecord kept = running.next;
  for (const RevisionId& id : running.listed) {
    kept.find(*number_of(kept, id.text()))->failure = running.rollout.message();
  }
  kept.route = now.route;
  kept.before_canary = now.before_canary;
  kept.tags = now.tags;
  forget_old(kept, keep_revisions_);
  return kept;
}

bool RolloutRunner::has_work() const {
  return std::ranges::any_of(running_,
                             [](const auto& entry) { return !entry.second.rollout.is_over(); });
}

const RunningRollout* RolloutRunner::find(const RevisionId& service) const {
  const auto found = running_.find(service);
  return found == running_.end() ? nullptr : &found->second;
}

bool RolloutRunner::is_under_way(const RevisionId& service) const {
  const RunningRollout* const running = find(service);
  return running != nullptr && !running->rollout.is_over();
}

}  // namespace bellows::machine
