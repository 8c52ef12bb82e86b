#include "autoscaler/service/service_row.hpp"

#include "cluster/core/not_ready.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler {

void ServiceRow::add(const ScaledRevision& revision, const ScaleApplier& applier) {
  const cluster::Revision& listed = revision.observed.listed();
  const Observation seen = revision.journal.last_seen().value_or(Observation());
  PodCount ready = 0;
  for (const cluster::ReplicaPtr& replica : listed.replicas) {
    using Phase = cluster::ReplicaPhase;
    const Phase phase = replica->phase;
    if (phase == Phase::kReady) ++ready;
    if (phase == Phase::kPending || phase == Phase::kStarting || phase == Phase::kFailed) {
      ++starting_;
    }
    in_flight_ += revision.observed.in_flight(replica->name).value_or(0);
    if (replica->usage) {
      if (!used_) used_.emplace();
      used_->cpu.value += replica->usage->cpu.value;
      used_->memory.value += replica->usage->memory.value;
    }
  }
  revisions_.push_back(listed.id);
  in_flight_ += static_cast<double>(seen.waiting);
  capacity_ += static_cast<double>(ready) * revision.spec.target;
  ready_ += ready;
  desired_ += revision.state.replicas;
  waiting_ += seen.waiting;
  stable_ += seen.stable.total;
  panic_ += seen.panic.total;
  is_panic_ = is_panic_ || revision.state.mode() == Mode::kPanic;
  if (listed.share < leading_.share) return;
  const StartFailures& failed = revision.failed_starts;
  leading_ = {.share = listed.share,
              .state = to_string(revision.serving_state()),
              .is_paused = listed.is_paused(),
              .target = revision.spec.target,
              .trouble = listed.failure_message,
              .not_ready = cluster::not_ready_because(listed),
              .failed_starts = failed.count(),
              .start_failure = failed.count() > 0 ? failed.last() : std::string(),
              .rejected = applier.trouble(revision.id())};
}

std::string ServiceRow::json(const RevisionId& service, const TrafficOf& traffic) const {
  json::Writer row;
  row.text("name", service.text()).text("state", leading_.state);
  if (leading_.is_paused) row.flag("paused", true);
  row.text("mode", to_string(is_panic_ ? Mode::kPanic : Mode::kStable));
  row.number("stable_concurrency", stable_).number("panic_concurrency", panic_);
  row.number("target", leading_.target).number("in_flight", in_flight_);
  row.number("capacity", capacity_).integer("desired", desired_).integer("ready", ready_);
  row.integer("starting", starting_).integer("waiting", waiting_);
  if (used_) {
    row.open("usage").integer("cpu_millicores", used_->cpu.value);
    row.integer("memory_bytes", used_->memory.value).close();
  }
  const std::string requests = traffic ? traffic(revisions_) : std::string();
  if (!requests.empty()) row.raw("traffic", requests);
  if (!leading_.trouble.empty()) row.text("trouble", leading_.trouble);
  if (!leading_.not_ready.empty()) row.text("not_ready", leading_.not_ready);
  if (leading_.failed_starts > 0) {
    row.open("failed_starts").integer("count", leading_.failed_starts);
    row.text("last", leading_.start_failure).close();
  }
  if (!leading_.rejected.empty()) row.text("scaling_trouble", leading_.rejected);
  return row.end();
}

}  // namespace bellows::autoscaler
