#include "activator/service/revision_home.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "activator/core/client_shares.hpp"
#include "base/sys/log.hpp"
#include "config/waiting_page.hpp"

namespace bellows::activator {

RevisionHome::RevisionHome(RevisionDependencies& dependencies, const cluster::RevisionPtr& revision)
    : http::Timer(dependencies.reactor.timers()),
      dependencies_(dependencies),
      handle_(dependencies, *revision, *this) {
  update(revision);
}

void RevisionHome::update(const cluster::RevisionPtr& revision) {
  const TimePoint now = dependencies_.reactor.now();
  if (revision->is_retired()) {
    close(Error(ErrorKind::kGone, "service " + revision->service_id().text(),
                "was retired and serves no requests any more", ErrorSide::kDownstream));
    return;
  }
  const RevisionView view = found_.view_since(listed_.get(), *revision, dependencies_.self);
  std::optional<CallerRules> rules;
  if (view.is_whole) rules = rules_of(*revision);
  listed_ = revision;
  if (!handle_.list(revision, std::move(rules), !view.ready.empty())) return;
  found_.forget_ended(*listed_);
  has_new_starts_ = true;
  handle_.apply(view, now);
}

/// Uses the built-in page in place of one that cannot be read, so that callers that wait see a
/// page.
CallerRules RevisionHome::rules_of(const cluster::Revision& revision) const {
  const config::CallerSettings& settings = revision.settings.callers;
  CallerRules rules;
  rules.probes = {revision.settings.probe_user_agents, revision.settings.probe_paths};
  const bool is_sticky = settings.session_affinity == config::SessionAffinity::kCookie;
  const bool is_by_cookie =
      settings.split_by == config::SplitBy::kClient && settings.client_header.empty();
  if (is_sticky || is_by_cookie) {
    rules.client_cookie = client_cookie_name(revision.service_id());
  }
  // The setting was checked when it was read.
  rules.static_answers = config::read_static_answers(settings.static_answers)
                             .value_or(std::vector<config::StaticAnswer>());
  rules.has_meanwhile = !settings.waiting_page.empty() || !settings.fallback_service.empty();
  if (!settings.waiting_page.empty() && settings.waiting_page != config::kBuiltInPage) {
    rules.own_page = dependencies_.pages.open(settings.waiting_page);
  }
  return rules;
}

void RevisionHome::replica_found(const StartingReplica& replica) {
  if (listed_ == nullptr) return;
  const cluster::Replica* const listed = listed_->find(replica.name);
  if (listed == nullptr || !is_starting(*listed) || listed->address != replica.address) return;
  const TimePoint now = dependencies_.reactor.now();
  found_.add(*listed, now);
  RevisionView view = found_.view_since(listed_.get(), *listed_, dependencies_.self);
  view.ready.push_back(found_.view_of(*listed));
  handle_.apply(view, now);
}

/// Has starting replicas probed while a request waits.
void RevisionHome::probe_starts(std::int64_t waiting) {
  if (dependencies_.starts == nullptr) return;
  const bool is_wanted = listed_ != nullptr && waiting > 0;
  const bool has_changed = is_wanted && has_new_starts_;
  if (is_wanted == probes_starts_ && !has_changed) return;
  probes_starts_ = is_wanted;
  has_new_starts_ = false;
  std::vector<StartingReplica> starting;
  if (is_wanted) {
    for (const cluster::ReplicaPtr& replica : listed_->replicas) {
      if (!is_starting(*replica) || found_.takes_requests(replica.get())) continue;
      starting.push_back({.name = replica->name, .address = replica->address});
    }
  }
  dependencies_.starts->set(handle_.revision(), starting);
}

void RevisionHome::close(Error error) {
  found_.clear();
  listed_.reset();
  handle_.close(std::move(error), dependencies_.reactor.now());
}

void RevisionHome::on_expiry() {
  handle_.tick(dependencies_.reactor.now());
}

void RevisionHome::follow_up(TimePoint now) {
  DueWork due = handle_.take_due(now);
  if (due.triggered_for) {
    instruments().scale_from_zero_triggers.add();
    dependencies_.notifier.trigger(handle_.revision(), due.waiting, *due.triggered_for);
  }
  const bool may_be_reached = due.ready == 0 || due.ejected < due.ready;
  if (may_be_reached) reachability_.note_reached();
  tell_reachability(due.ready, now);
  for (DueProbe& probe : due.probes) {
    dependencies_.prober.probe(
        std::move(probe.address), kProbeTimeout,
        lifetime_.bind([this, name = std::move(probe.replica)](ProbeResult result) {
          on_probe_ended(name, result);
        }));
  }
  probe_starts(due.waiting);
  if (due.next_tick) {
    set_deadline(*due.next_tick);
  } else {
    clear_deadline();
  }
}

/// Reports to the autoscaler, for the users of the cluster.
void RevisionHome::tell_reachability(std::size_t ready, TimePoint now) {
  const bool is_unreachable = listed_ != nullptr && reachability_.is_unreachable(now);
  const std::uint64_t unreachable = is_unreachable ? ready : 0;
  if (std::exchange(told_unreachable_, unreachable) == unreachable) return;
  const WorkerLock::Hold hold(dependencies_.lock);
  dependencies_.stats.set_unreachable(handle_.revision(), unreachable);
}

void RevisionHome::on_probe_ended(const PodName& replica, ProbeResult result) {
  const TimePoint now = dependencies_.reactor.now();
  note_reachability(replica, result, now);
  if (!handle_.end_probe(replica, result, now)) return;
  sys::log::info("replica healthy again", {{"service", handle_.service().text()},
                                           {"revision", handle_.revision().text()},
                                           {"replica", replica.text()}});
}

void RevisionHome::note_reachability(const PodName& replica, ProbeResult result, TimePoint now) {
  const cluster::Replica* listed = listed_ != nullptr ? listed_->find(replica) : nullptr;
  if (!is_ready(listed)) return;
  reachability_.note_probe(result, handle_.are_all_ejected(), now);
  if (!reachability_.take_news(now)) return;
  sys::log::warning(
      "no ready replica can be reached at its address; a mesh or a network policy blocks this "
      "activator",
      {{"service", handle_.service().text()},
       {"revision", handle_.revision().text()},
       {"address", to_string(listed->address)}});
}

RevisionInstruments& RevisionHome::instruments() {
  if (!instruments_) {
    instruments_ = std::make_unique<RevisionInstruments>(dependencies_.registry, handle_.service(),
                                                         handle_.revision());
  }
  return *instruments_;
}

void RevisionHome::refresh_gauges() {
  handle_.count_uncounted();
  const bool misses_page = listed_ != nullptr && handle_.misses_page();
  if (misses_page && !missing_page_) {
    missing_page_ = RevisionInstruments::missing_page(dependencies_.registry, handle_.service(),
                                                      handle_.revision());
  }
  if (missing_page_) missing_page_->set(misses_page ? 1 : 0);
  if (!instruments_) return;
  const bool is_unreachable = reachability_.is_unreachable(dependencies_.reactor.now());
  const RevisionGauges now = handle_.gauges();
  instruments_->in_flight.set(static_cast<double>(now.in_flight));
  instruments_->queue_depth.set(static_cast<double>(now.waiting));
  instruments_->ejected_replicas.set(static_cast<double>(now.ejected));
  instruments_->unreachable_replicas.set(is_unreachable ? static_cast<double>(now.ready) : 0);
}

}  // namespace bellows::activator
