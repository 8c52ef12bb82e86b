#include "autoscaler/service/revision_registry.hpp"

#include <algorithm>
#include <utility>

#include "autoscaler/core/decider.hpp"
#include "autoscaler/core/rules/fresh_start.hpp"
#include "base/sys/log.hpp"

namespace bellows::autoscaler {

namespace {

/// Returns true if each trigger may need more first replicas: requests that arrive together yield
/// several triggers within milliseconds.
bool starts_for_waiting(const ScaledRevision& revision) {
  return revision.spec.rules.first_replicas == config::FirstReplicas::kForWaiting;
}

/// Removes policies that cannot be made, so that pages and journal say what decides. Returns why.
std::optional<Error> without_invalid_policies(config::RevisionSettings& settings) {
  if (settings.policy.empty() && settings.autoscaling.empty()) return std::nullopt;
  auto policies = policies_of(settings);
  if (policies) return std::nullopt;
  settings.policy.clear();
  settings.autoscaling.clear();
  return std::move(policies).error();
}

/// Revisions that share a tick of 100 ms.
constexpr std::size_t kAtOnce = 5000;
constexpr Duration kTick = std::chrono::milliseconds(100);
constexpr std::size_t kTicks = 20;  // in an evaluation period

/// Maximum of outlines, one for each different settings of sleepers.
constexpr std::size_t kOutlines = 16;

/// Returns true if the state has learned nothing of callers, so a new decider decides the same.
bool is_blank(const DeciderState& state) {
  return state.replicas == 0 && !state.panic && state.service_seconds == 0 &&
         state.spread == LoadSpread() && !state.idle_times.has_seen_request() &&
         state.idle_times.idle_times().empty();
}

bool is_at_rest(const cluster::Revision& listed) {
  return listed.state == cluster::RevisionState::kActive && listed.requested == 0 &&
         listed.replicas.empty();
}

/// Returns the number of decisions due since the first one.
std::uint64_t turns_since(TimePoint since, TimePoint now) {
  return static_cast<std::uint64_t>((now - since) / kEvaluationPeriod);
}

}  // namespace

ScaledRevision::ScaledRevision(cluster::RevisionPtr listed, Duration dead_after, TimePoint now)
    : observed(std::move(listed), dead_after), since(now) {
  follow(observed.listed().settings, now);
}

void ScaledRevision::follow(const config::RevisionSettings& asked, TimePoint now) {
  if (asked.slow_brain.mode == config::SlowBrain::kOff) {
    slow.reset();
  } else if (!slow) {
    slow = std::make_unique<SlowLearner>(asked, now);
  } else {
    slow->follow(asked);
  }
  config::RevisionSettings used = slow ? slow->applied_to(asked) : asked;
  const auto rejected = without_invalid_policies(used);
  if (settings && *settings == used) return;
  settings = config::shared_settings(used);
  if (rejected) {
    sys::log::warning("policies rejected, only the load of requests decides",
                      {{"service", observed.listed().service_id().text()},
                       {"revision", id().text()},
                       {"error", to_string(*rejected)}});
  }
  spec = scaling_spec(used);
}

void ScaledRevision::use_learned(double share, TimePoint now) {
  if (!slow) return;
  const cluster::Revision& listed = observed.listed();
  const bool has_other_share = slow->follow_share(share);
  if (slow->evaluate_if_due(listed, now) || has_other_share) follow(listed.settings, now);
}

ServingState ScaledRevision::serving_state() const {
  const cluster::Revision& listed = observed.listed();
  if (listed.is_retired()) return ServingState::kRetired;
  return listed.requested == 0 && state.replicas == 0 ? ServingState::kReserve
                                                      : ServingState::kActive;
}

RevisionRegistry::RevisionRegistry(const sys::Clock& clock, Duration dead_after, SavedStates saved,
                                   DecisionListener& listener)
    : clock_(clock), dead_after_(dead_after), saved_(std::move(saved)), listener_(listener) {}

void RevisionRegistry::follow(const cluster::RevisionList& list) {
  cluster::Changes changes;
  for (const cluster::RevisionPtr& listed : list) changes.changed.push_back(listed->id);
  for (const auto& [id, revision] : revisions_) {
    if (list.find(id) == nullptr) changes.removed.push_back(id);
  }
  for (const auto& [id, sleeper] : asleep_) {
    if (list.find(id) == nullptr) changes.removed.push_back(id);
  }
  follow(list, changes);
}

void RevisionRegistry::follow(const cluster::RevisionList& list, const cluster::Changes& changes) {
  for (const auto* const ids : {&changes.added, &changes.changed, &changes.removed})
    count_shares(list, *ids);
  for (const RevisionId& id : changes.added) follow(list, id);
  for (const RevisionId& id : changes.changed) follow(list, id);
  for (const RevisionId& id : changes.removed) follow(list, id);
  keep_saved_days();
}

/// Counts the shares before a decision uses one, and records them.
void RevisionRegistry::count_shares(const cluster::RevisionList& list,
                                    const std::vector<RevisionId>& ids) {
  const TimePoint at = clock_.now();
  for (const RevisionId& id : ids) {
    const auto sleeper = asleep_.find(id);
    const ScaledRevision* const revision = known(id);
    const cluster::Revision* before = nullptr;
    if (revision != nullptr) before = &revision->observed.listed();
    if (sleeper != asleep_.end()) before = sleeper->second.listed.get();
    const cluster::RevisionPtr now = list.find(id);
    shares_.update(before, now.get());
    const std::optional<std::int32_t> share = now ? std::optional(now->share) : std::nullopt;
    if (now) restore_changes(now->service, at);
    if (now || before != nullptr) {
      pasts_.set_share(now ? now->service : before->service, id, share, at);
    }
  }
}

/// Applies the list instead of the kind of the change, because the revision may have changed again
/// since.
void RevisionRegistry::follow(const cluster::RevisionList& list, const RevisionId& id) {
  const cluster::RevisionPtr listed = list.find(id);
  const auto sleeper = asleep_.find(id);
  ScaledRevision* const revision = known(id);
  if (listed == nullptr) {
    if (revision != nullptr || sleeper != asleep_.end()) remove(id);
  } else if (sleeper != asleep_.end()) {
    update(sleeper, listed);
  } else if (revision == nullptr) {
    add(listed);
  } else {
    update(*revision, listed);
  }
}

void RevisionRegistry::add(const cluster::RevisionPtr& listed) {
  const TimePoint now = clock_.now();
  auto revision = std::make_unique<ScaledRevision>(listed, dead_after_, now);
  if (auto learned = slow_saved_.extract(listed->id); learned && revision->slow) {
    revision->slow->resume(std::move(learned.mapped()), now);
    revision->use_learned(shares_.part_of(*listed), now);
    revision->is_new = false;
  }
  const Observation seen = observe(*revision, now);
  const auto saved = take_saved(*listed);
  // A revision that has had its first replicas must not get them again.
  const bool begins_anew =
      saved && lets_sleep_ && is_blank(saved->state) &&
      saved->state.is_initialised == begin(revision->spec, seen, now).is_initialised;
  if (saved && !begins_anew) {
    revision->is_new = false;
    const ClockPair clocks{now, clock_.wall_now()};
    const DeciderState state = restored(saved->at, saved->state, listed->settings.window, clocks);
    revision->state = resume(state, revision->spec, seen, now);
  } else {
    revision->state = first_state(*revision, seen, now);
  }
  if (!listed->service.empty()) newest_of_.insert_or_assign(listed->service, listed->id);
  revision->journal.start_from(revision->state);
  begin_day(*revision);
  restore_failed_starts(*revision);
  const auto& added = *revisions_.emplace(listed->id, std::move(revision)).first;
  by_name_.emplace(added.first.text(), added.second.get());
  decide_now(*added.second);
  if (!falls_asleep(*added.second)) schedule(*added.second, now + spread(now));
}

/// Returns true if a sleeper has replaced the revision, which then has no turn.
bool RevisionRegistry::falls_asleep(const ScaledRevision& revision) {
  const auto at_zero = revision.decisions[static_cast<std::size_t>(Rule::kAtZero)];
  const bool may_sleep = lets_sleep_ && revision.is_new && is_at_rest(revision.observed.listed()) &&
                         revision.spec.policies.is_plain() && is_blank(revision.state) &&
                         std::ranges::count(revision.decisions, 0U) == kRules - 1 && at_zero > 0;
  const std::optional<Observation> seen = may_sleep ? revision.journal.last_seen() : std::nullopt;
  if (!seen || seen->idle_for || seen->waiting > 0) return false;
  if (seen->room_limit || seen->room_more) return false;  // they change with other services
  const RevisionId id = revision.id();
  asleep_.insert_or_assign(id, Sleeper{.listed = revision.observed.share_listed(),
                                       .settings = revision.settings,
                                       .since = revision.since});
  by_name_.erase(id.text());
  revisions_.erase(id);
  return true;
}

/// Returns the revision as if it had been decided all the time: with its first decision and its
/// last one, because those between have the same input.
std::unique_ptr<ScaledRevision> RevisionRegistry::as_awake(const Sleeper& sleeper,
                                                           bool keeps_day) const {
  auto revision = std::make_unique<ScaledRevision>(sleeper.listed, dead_after_, sleeper.since);
  if (keeps_day && day_limit_.value > 0) {
    revision->day = std::make_unique<history::DayJournal>(sleeper.listed->id.text());
  }
  const std::uint64_t turns = turns_since(sleeper.since, clock_.now());
  revision->state = begin(revision->spec, look_at(*revision, sleeper.since), sleeper.since);
  revision->journal.start_from(revision->state);
  (void)decide_on(*revision, look_at(*revision, sleeper.since), sleeper.since);
  if (turns > 0) {
    const TimePoint last = sleeper.since + static_cast<std::int64_t>(turns) * kEvaluationPeriod;
    (void)decide_on(*revision, look_at(*revision, last), last);
    revision->decisions[static_cast<std::size_t>(Rule::kAtZero)] = turns + 1;
  }
  return revision;
}

/// Returns the same without its own times, for visits of all revisions.
const ScaledRevision& RevisionRegistry::outline_of(const Sleeper& sleeper) const {
  const TimePoint now = clock_.now();
  if (outlines_.size() >= kOutlines && !outlines_.contains(sleeper.settings)) outlines_.clear();
  std::unique_ptr<ScaledRevision>& outline = outlines_[sleeper.settings];
  if (!outline || now - outline->state.known_back_to.value_or(now) > kEvaluationPeriod) {
    outline = as_awake(sleeper, false);
  }
  outline->observed.update(sleeper.listed, now);
  outline->decisions[static_cast<std::size_t>(Rule::kAtZero)] = turns_since(sleeper.since, now) + 1;
  return *outline;
}

ScaledRevision* RevisionRegistry::wake(std::map<RevisionId, Sleeper>::iterator sleeper) {
  const RevisionId id = sleeper->first;
  looked_at_.reset();
  auto revision = as_awake(sleeper->second, true);
  asleep_.erase(sleeper);
  const auto& woken = *revisions_.emplace(id, std::move(revision)).first;
  by_name_.emplace(woken.first.text(), woken.second.get());
  schedule(*woken.second, clock_.now());  // turns are in the order of time
  return woken.second.get();
}

/// Returns nullptr for a revision that is not listed.
ScaledRevision* RevisionRegistry::awake(const RevisionId& id) {
  if (ScaledRevision* const revision = known(id)) return revision;
  const auto sleeper = asleep_.find(id);
  return sleeper == asleep_.end() ? nullptr : wake(sleeper);
}

/// Inherits the learned state of an earlier revision, because the callers of a service do not
/// change with its revisions.
DeciderState RevisionRegistry::first_state(ScaledRevision& revision, const Observation& seen,
                                           TimePoint now) {
  const auto newest = newest_of_.find(revision.observed.listed().service);
  const ScaledRevision* const earlier =
      newest == newest_of_.end() ? nullptr : known(newest->second);
  if (earlier == nullptr) return begin(revision.spec, seen, now);
  if (revision.slow && earlier->slow && revision.is_new) {
    revision.slow->succeed(earlier->slow->state());
    revision.use_learned(shares_.part_of(revision.observed.listed()), now);
  }
  revision.is_new = false;
  return begin_after(earlier->state, revision.spec, seen, now);
}

/// Returns the state of a predecessor, the newer one of the state file and the cluster.
std::optional<SavedState> RevisionRegistry::take_saved(const cluster::Revision& listed) {
  std::optional<SavedState> newest;
  if (auto in_file = saved_.revisions.extract(listed.id)) {
    newest = SavedState{.at = saved_.at, .state = std::move(in_file.mapped())};
  }
  if (listed.saved_state.empty()) return newest;
  auto in_cluster = parse_state(listed.saved_state);
  if (!in_cluster) {
    sys::log::warning("saved state in the cluster rejected",
                      {{"service", listed.service_id().text()},
                       {"revision", listed.id.text()},
                       {"error", to_string(in_cluster.error())}});
    return newest;
  }
  if (!newest || newest->at.wall < in_cluster->at.wall) newest = std::move(*in_cluster);
  return newest;
}

void RevisionRegistry::update(ScaledRevision& revision, const cluster::RevisionPtr& listed) {
  const cluster::Revision& before = revision.observed.listed();
  const bool is_new_state = listed->state != before.state;
  // Its replicas have a new owner that knows no order; a wait for the next turn would be up to 2 s
  // without service.
  const bool is_undone =
      listed->requested < before.requested && listed->requested < revision.state.replicas;
  const SettingsPtr settings = revision.settings;
  const TimePoint now = clock_.now();
  revision.restarts.note(before.replicas, listed->replicas, now);
  const bool could_start = revision.failed_starts.count() == 0;
  revision.failed_starts.note(before.replicas, listed->replicas, now);
  if ((revision.failed_starts.count() == 0) != could_start) ++start_news_;
  revision.observed.update(listed, now);
  revision.follow(listed->settings, now);
  revision.use_learned(shares_.part_of(*listed), now);
  // The next turn may be far ahead.
  const bool is_late = revision.settings != settings && revision.period > kEvaluationPeriod;
  if (is_new_state || is_undone || is_late) decide_now(revision);
  if (!is_late) return;
  unschedule(revision);
  schedule(revision, now);
}

/// Wakes a sleeper whose number changes.
void RevisionRegistry::update(std::map<RevisionId, Sleeper>::iterator sleeper,
                              const cluster::RevisionPtr& listed) {
  looked_at_.reset();
  const bool stays_asleep =
      is_at_rest(*listed) && listed->settings == sleeper->second.listed->settings;
  if (stays_asleep) {
    sleeper->second.listed = listed;
  } else {
    update(*wake(sleeper), listed);
  }
}

void RevisionRegistry::remove(const RevisionId& id) {
  looked_at_.reset();
  const auto it = by_name_.find(id.text());
  const auto sleeper = asleep_.find(id);
  const RevisionId service = it == by_name_.end() ? sleeper->second.listed->service
                                                  : it->second->observed.listed().service;
  const auto newest = newest_of_.find(service);
  if (newest != newest_of_.end() && newest->second == id) newest_of_.erase(newest);
  history::PastRevision past{.id = id, .day = {}, .restarts = {}};
  if (it != by_name_.end()) {
    unschedule(*it->second);
    past.day = std::move(it->second->day);
    past.restarts = it->second->restarts.last();
    by_name_.erase(it);
    revisions_.erase(id);
  } else {
    asleep_.erase(sleeper);
  }
  pasts_.take(service, std::move(past), clock_.now(), day_limit());
  listener_.removed(id);
}

/// Returns the phase of the next revision's turns. At most kAtOnce revisions listed together share
/// one, so that every tick is short.
Duration RevisionRegistry::spread(TimePoint now) {
  if (std::exchange(listed_at_, now) != now) listed_together_ = 0;
  return kTick * std::min(listed_together_++ / kAtOnce, kTicks - 1);
}

/// Schedules the next decision, counted from `from`.
void RevisionRegistry::schedule(ScaledRevision& revision, TimePoint from) {
  revision.period = revision.spec.policies.period(revision.state.policies, clock_.now());
  Turns& turns = turns_[revision.period];
  revision.turn = turns.first + turns.due.size();
  turns.due.push_back({from + revision.period, &revision});
}

void RevisionRegistry::unschedule(const ScaledRevision& revision) {
  Turns& turns = turns_.at(revision.period);
  turns.due[revision.turn - turns.first].revision = nullptr;
}

void RevisionRegistry::accept(const metrics::Stat& stat) {
  ++counters_.stats;
  if (stat.source == metrics::StatSource::kActivator) check_activator_name(stat.pod, stat.boot);
  ScaledRevision* revision = awake(stat.revision);
  if (revision == nullptr) {
    ++counters_.unknown_revision;
    return;
  }
  const TimePoint now = clock_.now();
  const auto booking = revision->observed.record(stat, now);
  const bool is_news = booking == metrics::RecordResult::kRecorded && stat.concurrency > 0;
  if (booking == metrics::RecordResult::kRecorded && revision->slow) {
    revision->slow->record(stat, now);
  }
  if (is_news && revision->state.replicas == 0) decide_now(*revision);
}

void RevisionRegistry::accept(const metrics::ScaleFromZeroTrigger& trigger) {
  ++counters_.triggers;
  check_activator_name(trigger.pod, trigger.boot);
  ScaledRevision* revision = awake(trigger.revision);
  if (revision == nullptr) {
    ++counters_.unknown_revision;
    return;
  }
  revision->observed.record(trigger, clock_.now());
  if (revision->state.replicas == 0 || starts_for_waiting(*revision)) decide_now(*revision);
}

void RevisionRegistry::check_activator_name(const PodName& name, std::uint64_t boot) {
  if (!activator_names_.is_duplicate(name, boot, clock_.now())) return;
  sys::log::warning("two activators have the same name and count as one; give each its own --name",
                    {{"name", name.text()}});
}

void RevisionRegistry::tick() {
  const TimePoint now = clock_.now();
  for (auto& [period, turns] : turns_) take_turns(turns, now);
  pasts_.drop_old(now, day_limit());
}

void RevisionRegistry::take_turns(Turns& turns, TimePoint now) {
  while (!turns.due.empty() && turns.due.front().at <= now) {
    const auto [at, revision] = turns.due.front();
    turns.due.pop_front();
    ++turns.first;
    if (revision == nullptr) continue;
    revision->use_learned(shares_.part_of(revision->observed.listed()), now);
    decide_now(*revision);
    if (falls_asleep(*revision)) continue;
    // A late turn does not delay the ones after it: points of triggers keep their period.
    schedule(*revision, now - at < kEvaluationPeriod / 2 ? at : now);
  }
}

/// Observes a revision without the room of the machine.
Observation RevisionRegistry::look_at(ScaledRevision& revision, TimePoint now) const {
  Observation seen = revision.observed.observe(now);
  observe_policies(seen, {.observed = revision.observed,
                          .spec = revision.spec,
                          .answers = answers_,
                          .now = now,
                          .wall = clock_.wall_now()});
  return seen;
}

Observation RevisionRegistry::observe(ScaledRevision& revision, TimePoint now) const {
  Observation seen = look_at(revision, now);
  if (room_ != nullptr) {
    const RoomSeen room = room_->room_of(revision.id(), now);
    seen.room_limit = room.limit;
    seen.room_more = room.more;
  }
  return seen;
}

void RevisionRegistry::decide_now(ScaledRevision& revision) {
  const Memory before = revision.state;
  const TimePoint now = clock_.now();
  const Decision decision = decide_on(revision, observe(revision, now), now);
  listener_.decided(revision, decision, before);
}

Decision RevisionRegistry::decide_on(ScaledRevision& revision, const Observation& seen,
                                     TimePoint now) const {
  Decision decision = decide(revision.spec, seen, revision.state, now);
  if (revision.day) revision.day->add(decision, revision.state, revision.settings, day_limit());
  remember(revision.state, decision);
  revision.journal.add(decision, revision.settings);
  revision.needed = decision.needed;
  revision.demand =
      std::max<double>(decision.amount, decision.after.panic ? decision.panic_demand : 0);
  ++revision.decisions[static_cast<std::size_t>(decision.rule)];
  return decision;
}

ScaledRevision* RevisionRegistry::known(const RevisionId& id) const {
  const auto it = by_name_.find(id.text());
  return it == by_name_.end() ? nullptr : it->second;
}

const ScaledRevision* RevisionRegistry::find(const RevisionId& id) const {
  const auto sleeper = asleep_.find(id);
  if (sleeper == asleep_.end()) return known(id);
  looked_at_ = as_awake(sleeper->second, true);
  return looked_at_.get();
}

SlowStates RevisionRegistry::slow_states() const {
  SlowStates states;
  for (const auto& [id, revision] : revisions_) {
    if (revision->slow && revision->slow->advice()) states.emplace(id, revision->slow->state());
  }
  return states;
}

}  // namespace bellows::autoscaler
