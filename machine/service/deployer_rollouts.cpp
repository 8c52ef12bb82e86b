// What is under way: replicas become ready, shares change, revisions without requests go.
#include <algorithm>
#include <utility>

#include "base/sys/log.hpp"
#include "machine/service/deployer.hpp"

namespace bellows::machine {
namespace {

namespace log = sys::log;
using machine::Number;
using machine::revision_id;
using machine::RevisionRecord;
using machine::ServiceRecord;
using machine::Shares;

constexpr Duration kLookInterval = std::chrono::milliseconds(20);

}  // namespace

void Deployer::start_watching() {
  if (is_watching_ || !has_work()) return;
  is_watching_ = true;
  tasks_.spawn("rollouts", [this] { return watch(); });
}

http::Awaitable<void> Deployer::watch() {
  while (has_work()) {
    const bool slept = co_await http::sleep_for(kLookInterval);
    if (!slept) break;
    look();
  }
  is_watching_ = false;
}

bool Deployer::has_work() const {
  const bool has_rollout = std::ranges::any_of(
      rollouts_, [](const auto& entry) { return !entry.second.rollout.is_over(); });
  const bool has_canary = std::ranges::any_of(canaries_, [this](const auto& entry) {
    return !entry.second.canary.is_over() || has_to_go_back(entry.first, entry.second);
  });
  return has_rollout || has_canary || !leaving_.empty() || !floors_.empty();
}

void Deployer::look() {
  for (auto& [service, running] : rollouts_) look(running);
  for (auto& [service, run] : canaries_) look(service, run);
  const TimePoint now = clock_.now();
  for (auto leaving = leaving_.begin(); leaving != leaving_.end();) {
    if (!leaving->second.is_over(options_.has_requests(leaving->first), now)) {
      ++leaving;
      continue;
    }
    if (auto removed = cluster_.remove(leaving->first); removed) {
      log::info("revision retired", {{"revision", leaving->first.text()}});
    }
    leaving = leaving_.erase(leaving);
  }
  for (auto floor = floors_.begin(); floor != floors_.end();) {
    if (!floor->second.until || now < *floor->second.until) {
      ++floor;
      continue;
    }
    const RevisionId id = floor->first;
    const auto service = records_.find(floor->second.service);
    floor = floors_.erase(floor);
    if (service == records_.end()) continue;
    for (const RevisionRecord& revision : service->second.revisions) {
      if (revision_id(service->first, revision.number) == id) configure(service->second, revision);
    }
  }
}

void Deployer::look(Running& running) {
  if (running.rollout.is_over()) return;
  machine::Seen seen;
  for (const auto& [number, needed] : running.rollout.plan().needed) {
    const RevisionId id = revision_id(running.next.name, number);
    const cluster::RevisionPtr listed = cluster_.revisions().find(id);
    if (listed == nullptr) continue;
    seen[number] = {.ready = listed->count(cluster::ReplicaPhase::kReady),
                    .failure = listed->failure_message};
  }
  const machine::Stage stage = running.rollout.look(seen, clock_.now());
  if (stage == machine::Stage::kReady) switch_over(running);
  if (stage == machine::Stage::kFailed) give_up(running, running.rollout.message());
}

/// First the file, then the shares: after a crash between the two the next start has the new ones.
void Deployer::switch_over(Running& running) {
  const TimePoint now = clock_.now();
  ServiceRecord next = running.next;
  const RevisionId service = next.name;
  const Shares& shares = running.rollout.plan().shares;
  machine::set_shares(next, shares);
  for (const auto& [number, needed] : running.rollout.plan().needed) {
    RevisionRecord& revision = *next.find(number);
    revision.failure.clear();
    revision.was_ready |= needed > 0;
  }
  machine::forget_old(next, options_.keep_revisions);
  if (auto saved = state_.save({{service, next}}); !saved) {
    running.rollout.fail(to_string(saved.error()), now);
    return give_up(running, running.rollout.message());
  }
  const auto before = records_.find(service);
  const std::vector<RevisionRecord> old =
      before == records_.end() ? std::vector<RevisionRecord>() : before->second.revisions;
  keep({{service, next}});
  for (const RevisionRecord& revision : old) {
    const bool is_left = revision.share > 0 && !shares.contains(revision.number);
    if (is_left && tags_of(next, revision.number).empty()) leave(service, revision);
  }
  for (const auto& [number, share] : shares) {
    const RevisionId id = revision_id(service, number);
    const RevisionRecord& revision = *next.find(number);
    leaving_.erase(id);
    floors_[id].until = now + revision.content->settings->window;
    (void)cluster_.place(id, route_for(next, revision), share);
    configure(next, revision);
  }
  place_tagged(next);
  running.rollout.done(now);
  log::info("rollout done", {{"service", service.text()},
                             {"shares", shares_text(next, shares)},
                             {"took", running.rollout.took(now)}});
}

/// The old shares stay. What failed is kept by its number, so that no other content gets it.
void Deployer::give_up(Running& running, std::string why) {
  const RevisionId service = running.next.name;
  for (const auto& [number, needed] : running.rollout.plan().needed) {
    const RevisionId id = revision_id(service, number);
    floors_.erase(id);
    const std::vector<std::string> lines = cluster_.last_lines(id);
    if (!lines.empty()) running.last_lines = lines;
  }
  const auto record = records_.find(service);
  if (record != records_.end() && !record->second.is_removed()) {
    for (const RevisionId& id : running.listed) {
      RevisionRecord* const failed =
          running.next.find(*machine::number_of(running.next, id.text()));
      failed->failure = why;
    }
    ServiceRecord kept = running.next;
    kept.route = record->second.route;
    kept.before_canary = record->second.before_canary;
    kept.tags = record->second.tags;
    machine::forget_old(kept, options_.keep_revisions);
    record->second = std::move(kept);
    if (auto saved = state_.save({{service, record->second}}); !saved) {
      log::warning("state not saved", {{"error", to_string(saved.error())}});
    }
    for (const RevisionRecord& revision : record->second.revisions) {
      const RevisionId id = revision_id(service, revision.number);
      if (is_listed(id)) configure(record->second, revision);
    }
  }
  for (const RevisionId& id : running.listed) (void)cluster_.remove(id);
  for (const RevisionRecord& revision : running.next.revisions) {
    const bool was_leaving =
        revision.share == 0 && is_listed(revision_id(service, revision.number));
    const bool is_tagged =
        record != records_.end() && !tags_of(record->second, revision.number).empty();
    if (was_leaving && !is_tagged) leave(service, revision);
  }
  log::error("rollout failed, the shares stay as they are",
             {{"service", service.text()}, {"error", why}});
}

void Deployer::leave(const RevisionId& service, const RevisionRecord& revision) {
  const RevisionId id = revision_id(service, revision.number);
  const config::RevisionSettings& settings = *revision.content->settings;
  floors_.erase(id);
  leaving_[id] = {.since = clock_.now(), .at_most = settings.drain_time() + settings.queue_age};
  if (!is_listed(id)) return;
  (void)cluster_.place(id, revision.content->route, 0);
  (void)cluster_.configure(id, machine::settings_in_force(settings, 0, 0));
}

void Deployer::configure(const ServiceRecord& service, const RevisionRecord& revision) {
  const RevisionId id = revision_id(service.name, revision.number);
  const auto floor = floors_.find(id);
  const PodCount replicas = floor == floors_.end() ? 0 : floor->second.replicas;
  const auto set = cluster_.configure(
      id, machine::settings_in_force(*revision.content->settings, revision.share, replicas));
  if (!set && is_listed(id)) {
    log::warning("settings not changed",
                 {{"revision", id.text()}, {"error", to_string(set.error())}});
  }
}

PodCount Deployer::ready(const RevisionId& id) const {
  const cluster::RevisionPtr listed = cluster_.revisions().find(id);
  return listed == nullptr ? 0 : listed->count(cluster::ReplicaPhase::kReady);
}

/// A service of this name that was removed may still serve its last requests.
Number Deployer::free_number(const RevisionId& service, Number from) const {
  while (is_listed(revision_id(service, from))) ++from;
  return from;
}

http::Awaitable<void> Deployer::stop(TimePoint deadline) {
  is_stopping_ = true;
  tasks_.stop();
  (void)co_await tasks_.join(deadline);
}

}  // namespace bellows::machine
