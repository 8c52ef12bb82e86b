#include "autoscaler/service/revision_registry.hpp"

#include <utility>

#include "autoscaler/core/decider.hpp"
#include "autoscaler/core/rules/fresh_start.hpp"
#include "base/sys/log.hpp"

namespace bellows::autoscaler {

std::string_view to_string(ServingState state) {
  switch (state) {
    case ServingState::kActive:
      return "Active";
    case ServingState::kReserve:
      return "Reserve";
    case ServingState::kRetired:
      return "Retired";
  }
  return {};
}

ScaledRevision::ScaledRevision(std::shared_ptr<const cluster::Revision> listed, Duration dead_after)
    : observed(std::move(listed), dead_after) {
  follow(observed.listed().settings);
}

void ScaledRevision::follow(const config::RevisionSettings& asked) {
  if (settings && *settings == asked) return;
  settings = std::make_shared<const config::RevisionSettings>(asked);
  spec = scaling_spec(asked);
}

ServingState ScaledRevision::serving_state() const {
  const cluster::Revision& listed = observed.listed();
  if (listed.retired) return ServingState::kRetired;
  return listed.requested == 0 && state.replicas == 0 ? ServingState::kReserve
                                                      : ServingState::kActive;
}

RevisionRegistry::RevisionRegistry(const sys::Clock& clock, Duration dead_after, SavedStates saved,
                                   DecisionListener& listener)
    : clock_(clock), dead_after_(dead_after), saved_(std::move(saved)), listener_(listener) {}

void RevisionRegistry::follow(const cluster::Snapshot& snapshot) {
  for (const auto& listed : snapshot.revisions) {
    if (ScaledRevision* revision = known(listed->id)) {
      update(*revision, listed);
    } else {
      add(listed);
    }
  }
  if (revisions_.size() > snapshot.revisions.size()) drop_unlisted(snapshot);
}

void RevisionRegistry::add(const std::shared_ptr<const cluster::Revision>& listed) {
  auto revision = std::make_unique<ScaledRevision>(listed, dead_after_);
  const TimePoint now = clock_.now();
  const Observation seen = revision->observed.observe(now);
  const auto saved = saved_.revisions.find(listed->id);
  if (saved == saved_.revisions.end()) {
    revision->state = begin(revision->spec, seen, now);
  } else {
    const DeciderState state =
        restored(saved_, saved->second, listed->settings.window, {now, clock_.wall_now()});
    revision->state = resume(state, revision->spec, seen, now);
    saved_.revisions.erase(saved);
  }
  revision->journal.start_from(revision->state);
  const auto& added = *revisions_.emplace(listed->id, std::move(revision)).first;
  by_name_.emplace(added.first.text(), added.second.get());
  due_.push_back({now + kEvaluationPeriod, added.second.get()});
  decide_now(*added.second);
}

void RevisionRegistry::update(ScaledRevision& revision,
                              const std::shared_ptr<const cluster::Revision>& listed) {
  const bool retires = listed->retired && !revision.observed.listed().retired;
  revision.observed.update(listed);
  revision.follow(listed->settings);
  if (retires) decide_now(revision);
}

void RevisionRegistry::drop_unlisted(const cluster::Snapshot& snapshot) {
  for (auto it = revisions_.begin(); it != revisions_.end();) {
    if (snapshot.find(it->first) != nullptr) {
      ++it;
      continue;
    }
    const RevisionId id = it->first;
    std::erase_if(due_, [&](const Due& due) { return due.revision == it->second.get(); });
    by_name_.erase(id.text());
    it = revisions_.erase(it);
    listener_.removed(id);
  }
}

void RevisionRegistry::accept(const metrics::Stat& stat) {
  ++counters_.stats;
  if (stat.source == metrics::StatSource::kActivator) check_activator_name(stat.pod, stat.boot);
  ScaledRevision* revision = known(stat.revision);
  if (revision == nullptr) {
    ++counters_.unknown_revision;
    return;
  }
  const auto booking = revision->observed.record(stat, clock_.now());
  const bool is_news = booking == metrics::RecordResult::kRecorded && stat.concurrency > 0;
  if (is_news && revision->state.replicas == 0) decide_now(*revision);
}

void RevisionRegistry::accept(const metrics::ScaleFromZeroTrigger& trigger) {
  ++counters_.triggers;
  check_activator_name(trigger.pod, trigger.boot);
  ScaledRevision* revision = known(trigger.revision);
  if (revision == nullptr) {
    ++counters_.unknown_revision;
    return;
  }
  revision->observed.record(trigger, clock_.now());
  if (revision->state.replicas == 0) decide_now(*revision);
}

void RevisionRegistry::check_activator_name(const PodName& name, std::uint64_t boot) {
  if (!activator_names_.is_duplicate(name, boot, clock_.now())) return;
  sys::log::warning("two activators have one name and count as one; give each a --name of its own",
                    {{"name", name.text()}});
}

void RevisionRegistry::tick() {
  const TimePoint now = clock_.now();
  while (!due_.empty() && due_.front().at <= now) {
    ScaledRevision& revision = *due_.front().revision;
    due_.pop_front();
    decide_now(revision);
    due_.push_back({now + kEvaluationPeriod, &revision});
  }
}

void RevisionRegistry::decide_now(ScaledRevision& revision) {
  const TimePoint now = clock_.now();
  const Memory before = revision.state;
  const Decision decision =
      decide(revision.spec, revision.observed.observe(now), revision.state, now);
  remember(revision.state, decision);
  revision.journal.add(decision, revision.settings);
  ++revision.decisions[static_cast<std::size_t>(decision.rule)];
  listener_.decided(revision, decision, before);
}

ScaledRevision* RevisionRegistry::known(const RevisionId& id) const {
  const auto it = by_name_.find(id.text());
  return it == by_name_.end() ? nullptr : it->second;
}

const ScaledRevision* RevisionRegistry::find(const RevisionId& id) const {
  return known(id);
}

SavedStates RevisionRegistry::states() const {
  SavedStates states{.at = {clock_.now(), clock_.wall_now()}, .revisions = {}};
  for (const auto& [id, revision] : revisions_) {
    if (revision->serving_state() != ServingState::kRetired) {
      states.revisions.emplace(id, revision->state);
    }
  }
  return states;
}

}  // namespace bellows::autoscaler
