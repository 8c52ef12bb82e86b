#include "simulator/world.hpp"

#include <algorithm>
#include <utility>

namespace bellows::simulator {
namespace {

constexpr Duration kSecond = std::chrono::seconds(1);
/// Phase of the scaler relative to the activator: decisions use stats that are slightly old.
constexpr Duration kEvaluationPhase = std::chrono::milliseconds(250);
/// The longest time after the end of the trace for requests that arrived before it.
constexpr Duration kMaxTail = std::chrono::hours(1);
/// Delay before a crashed app is restarted: doubled from the first to the last, as the local
/// cluster does.
constexpr Duration kFirstRestartDelay = std::chrono::milliseconds(100);
constexpr Duration kLastRestartDelay = std::chrono::seconds(10);

}  // namespace

World::World(const Workload& workload, const LoadProfile& profile,
             const config::RevisionSettings& settings, Scaler& scaler)
    : workload_(workload),
      settings_(settings),
      scaler_(scaler),
      recorder_(profile, Demand(profile, workload.app, settings), settings.slow_brain.goal()),
      stream_(workload.arrivals()),
      begin_(kSimulationBegin),
      end_(kSimulationBegin + stream_.length()),
      now_(kSimulationBegin),
      fleet_(settings.container_concurrency, workload.seed),
      requests_(workload, settings, fleet_, recorder_, kSimulationBegin) {}

Outcome World::run(const Progress& progress) {
  progress_ = &progress;
  begin();
  while (step()) {
  }
  Outcome& outcome = recorder_.outcome;
  outcome.unfinished = outcome.arrivals - outcome.served - outcome.lost();
  return recorder_.finish();
}

// Time.

void World::begin() {
  const PodCount ready = std::min<PodCount>(scaler_.ready_at_begin(), Fleet::kMax);
  for (PodCount i = 0; i < ready; ++i) become_ready(fleet_.order(now_));
  recorder_.used(fleet_.used(), since_begin());
  fleet_.requested = std::max(settings_.initial_scale, ready);
  publish_replicas();
  scale_to(fleet_.requested);
  scaler_.begin(fleet_.counts(), now_);
  decide();
  arrivals_ = stream_.next();
  timers_.add(begin_, {Event::kSecond});
  timers_.add(begin_ + scaler_.period(now_) + kEvaluationPhase, {Event::kEvaluation});
}

bool World::step() {
  const TimePoint arrival = arrivals_.empty() ? TimePoint::max() : begin_ + arrivals_.front().at;
  const TimePoint end = requests_.next_end();
  const TimePoint timer = timers_.next();
  if (end <= arrival && end <= timer) {
    now_ = end;
    Replica* const replica = requests_.complete_next(now_);
    if (replica == nullptr) return true;
    on_wait_change();
    if (replica->phase == ReplicaPhase::kDraining && replica->is_idle()) remove(*replica);
    return true;
  }
  if (timer <= arrival) {
    now_ = timer;
    on_timer();
    return !is_over();
  }
  now_ = arrival;
  requests_.arrive(arrivals_.front(), now_);
  on_wait_change();
  arrivals_ = arrivals_.subspan(1);
  if (arrivals_.empty()) arrivals_ = stream_.next();
  return true;
}

bool World::is_over() const {
  const bool is_past_end = now_ >= end_ && arrivals_.empty();
  return is_past_end && (requests_.is_empty() || now_ >= end_ + kMaxTail);
}

void World::on_timer() {
  const Timer timer = timers_.take();
  if (timer.event == Event::kSecond) return close_second();
  if (timer.event == Event::kThrottlerTick) {
    requests_.tick(now_);
    return on_wait_change();
  }
  if (timer.event == Event::kEvaluation) {
    decide();
    timers_.add(now_ + scaler_.period(now_), {Event::kEvaluation});
    return;
  }
  Replica* const replica = fleet_.find(timer.place, timer.number);
  if (replica == nullptr) return;
  if (timer.event == Event::kStarted) return on_started(*replica);
  if (timer.event == Event::kCrash) return crash(*replica);
  if (timer.event == Event::kDrainTimeout) return on_drain_timeout(*replica);
  timers_.add(now_ + kSecond, timer);
  requests_.refresh(*replica, now_);
  if (scaler_.accept(replica->close_second(workload_.app, now_), now_)) decide();
}

void World::report_progress() const {
  const bool is_minute = since_begin() % std::chrono::minutes(1) == Duration::zero();
  if (!is_minute || !*progress_ || now_ >= end_) return;
  (*progress_)(to_seconds(since_begin()) / to_seconds(end_ - begin_));
}

void World::close_second() {
  timers_.add(now_ + kSecond, {Event::kSecond});
  report_progress();
  recorder_.sample({.used = fleet_.used(),
                    .ready = fleet_.ready(),
                    .idle = fleet_.idle(),
                    .desired = fleet_.requested,
                    .is_panic = verdict_.is_panic,
                    .in_system = requests_.in_system()},
                   since_begin());
  if (const auto report = requests_.close_second(now_)) {
    if (scaler_.accept(*report, now_)) decide();
  }
  if (workload_.app.cpu > Duration::zero()) fleet_.measure_cpu(now_);
}

// Decisions.

/// Does what the activator's service does after each change while requests wait or waited.
void World::on_wait_change() {
  if (requests_.has_wait_change()) {
    const RequestPath::WaitChange change = requests_.take_wait_change(now_);
    if (change.tick) timers_.add(std::max(*change.tick, now_), {Event::kThrottlerTick});
    if (change.trigger && scaler_.accept(*change.trigger, now_)) decide();
  }
  while (Replica* const killed = requests_.take_killed()) {
    const bool runs =
        killed->phase == ReplicaPhase::kReady || killed->phase == ReplicaPhase::kDraining;
    if (!runs || !killed->is_beyond_memory(workload_.app)) continue;
    ++recorder_.outcome.memory_kills;
    crash(*killed);
  }
}

void World::decide() {
  verdict_ = scaler_.evaluate(fleet_.counts(), now_);
  requests_.fill_by(scaler_.learned_target(), now_);
  if (verdict_.desired != fleet_.requested) scale_to(verdict_.desired);
}

void World::scale_to(PodCount desired) {
  const bool is_news = desired != fleet_.requested;
  if (is_news) recorder_.ordered(desired - fleet_.requested, since_begin());
  fleet_.requested = desired;
  for (PodCount count = fleet_.staying(); count < desired && fleet_.used() < Fleet::kMax; ++count) {
    start_replica();
  }
  const std::vector<Replica*> victims = fleet_.victims(desired);
  for (Replica* replica : victims) drain(*replica);
  if (is_news || !victims.empty()) publish_replicas();
}

// Replicas.

void World::start_replica() {
  const bool is_ahead = fleet_.used() == 0 && requests_.is_empty() && now_ > begin_;
  Replica& replica = fleet_.order(now_);
  replica.is_ahead = is_ahead && recorder_.counts(since_begin());
  if (replica.is_ahead) ++recorder_.outcome.starts_ahead;
  recorder_.used(fleet_.used(), since_begin());
  timers_.add(now_ + workload_.app.start.draw(replica.chance),
              {Event::kStarted, replica.place(), replica.number()});
  // The seconds of each queue-proxy begin when it starts, so they are not in step with each other.
  timers_.add(now_ + from_seconds(replica.chance.fraction()),
              {Event::kReplicaSecond, replica.place(), replica.number()});
}

void World::on_started(Replica& replica) {
  if (workload_.app.crash_at_start > 0 &&
      replica.chance.fraction() < workload_.app.crash_at_start) {
    return restart(replica);
  }
  become_ready(replica);
  publish_replicas();
}

void World::become_ready(Replica& replica) {
  replica.phase = ReplicaPhase::kReady;
  replica.ready_since = now_;
  replica.failed_starts = 0;
  fleet_.learn_start(replica, now_);
  if (workload_.app.crash == Duration::zero()) return;
  const Duration life = Distribution::exponential(workload_.app.crash).draw(replica.chance);
  timers_.add(now_ + life, {Event::kCrash, replica.place(), replica.number()});
}

void World::restart(Replica& replica) {
  replica.phase = ReplicaPhase::kStarting;
  ++replica.restarts;
  const auto doublings = std::min<std::uint32_t>(replica.failed_starts++, 10);
  const Duration delay =
      std::min<Duration>(kFirstRestartDelay * (1U << doublings), kLastRestartDelay);
  timers_.add(now_ + delay + workload_.app.start.draw(replica.chance),
              {Event::kStarted, replica.place(), replica.number()});
}

void World::crash(Replica& replica) {
  const bool was_draining = replica.phase == ReplicaPhase::kDraining;
  replica.phase = ReplicaPhase::kStarting;
  publish_replicas();  // first, so that no further request goes to this replica
  requests_.abort_all(replica, now_);
  if (was_draining) {
    remove(replica);
  } else {
    restart(replica);
  }
  requests_.follow_up(now_);
  on_wait_change();
}

void World::drain(Replica& replica) {
  const bool has_no_requests = replica.phase == ReplicaPhase::kStarting || replica.is_idle();
  replica.phase = ReplicaPhase::kDraining;
  if (has_no_requests) return remove(replica);
  timers_.add(now_ + settings_.drain_time(),
              {Event::kDrainTimeout, replica.place(), replica.number()});
}

void World::on_drain_timeout(Replica& replica) {
  requests_.abort_all(replica, now_);
  remove(replica);
  requests_.follow_up(now_);
  on_wait_change();
}

void World::remove(Replica& replica) {
  if (replica.is_ahead && !replica.has_served) ++recorder_.outcome.misses_ahead;
  fleet_.remove(replica);
  recorder_.used(fleet_.used(), since_begin());
}

void World::publish_replicas() {
  requests_.set_replicas(now_);
  on_wait_change();
}

}  // namespace bellows::simulator
