#include "simulator/world.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/check.hpp"

namespace bellows::simulator {
namespace {

constexpr Duration kSecond = std::chrono::seconds(1);
/// Decider and activator are not in step: decisions rest on stats that are a little old.
constexpr Duration kTurnPhase = std::chrono::milliseconds(250);
/// How long after the end of the trace those are waited for who came before it.
constexpr Duration kLongestTail = std::chrono::hours(1);
/// Memory that a held request takes: a page, as long as its head fits.
constexpr std::size_t kHeldBytes = 4096;
/// Before a crashed app is started again: doubled from the first to the last, as the local cluster
/// does.
constexpr Duration kFirstRestart = std::chrono::milliseconds(100);
constexpr Duration kLastRestart = std::chrono::seconds(10);

metrics::Stat stat_of_activator() {
  metrics::Stat stat;
  stat.pod = PodName("activator");
  stat.source = metrics::StatSource::kActivator;
  return stat;
}

}  // namespace

World::World(const Workload& workload, const Survey& limits,
             const config::RevisionSettings& settings, Scaler& scaler)
    : workload_(workload),
      settings_(settings),
      scaler_(scaler),
      recorder_(limits, Demand(limits, workload.app, settings)),
      stream_(workload.arrivals()),
      begin_(kSimulationBegin),
      end_(kSimulationBegin + stream_.length()),
      now_(kSimulationBegin),
      choices_(workload.seed),
      throttler_(RevisionId("simulated"), choices_),
      fleet_(settings.container_concurrency, workload.seed),
      held_(kSimulationBegin),
      held_stat_(stat_of_activator()) {}

Outcome World::run(const Progress& progress) {
  progress_ = &progress;
  begin();
  while (step()) {
  }
  Outcome& outcome = recorder_.outcome;
  outcome.unfinished = outcome.arrivals - outcome.served - outcome.lost();
  return recorder_.finish();
}

void World::begin() {
  const PodCount there = std::min<PodCount>(scaler_.ready_at_begin(), Fleet::kMax);
  for (PodCount i = 0; i < there; ++i) become_ready(fleet_.order(now_));
  recorder_.used(fleet_.used(), since_begin());
  publish();
  fleet_.requested = std::max(settings_.initial_scale, there);
  order(fleet_.requested);
  scaler_.begin(fleet_.counts(), now_);
  decide();
  coming_ = stream_.next();
  timers_.add(begin_, {Event::kSecond});
  timers_.add(begin_ + autoscaler::kEvaluationPeriod + kTurnPhase, {Event::kTurn});
}

bool World::step() {
  const TimePoint arrival = coming_.empty() ? TimePoint::max() : begin_ + coming_.front().at;
  const TimePoint soonest_end = ends_.next();
  const TimePoint timer = timers_.next();
  if (soonest_end <= arrival && soonest_end <= timer) {
    now_ = soonest_end;
    complete(*ends_.take());
    return true;
  }
  if (timer <= arrival) {
    now_ = timer;
    on_timer();
    return !is_over();
  }
  now_ = arrival;
  arrive(coming_.front());
  coming_ = coming_.subspan(1);
  if (coming_.empty()) coming_ = stream_.next();
  return true;
}

bool World::is_over() const {
  const bool is_past_end = now_ >= end_ && coming_.empty();
  return is_past_end && (open_ == 0 || now_ >= end_ + kLongestTail);
}

void World::on_timer() {
  const Timer timer = timers_.take();
  if (timer.event == Event::kSecond) return close_second();
  if (timer.event == Event::kThrottlerTick) return throttler_tick();
  if (timer.event == Event::kTurn) {
    timers_.add(now_ + autoscaler::kEvaluationPeriod, {Event::kTurn});
    return decide();
  }
  Replica* const replica = fleet_.find(timer.place, timer.number);
  if (replica == nullptr) return;
  if (timer.event == Event::kStarted) return started(*replica);
  if (timer.event == Event::kCrash) return crash(*replica);
  if (timer.event == Event::kDrainOver) return drain_over(*replica);
  timers_.add(now_ + kSecond, timer);
  if (scaler_.accept(replica->close_second(now_), now_)) decide();
}

// Requests.

Request& World::free_request() {
  if (free_.empty()) free_.push_back(&requests_.emplace_back(settled_));
  Request& request = *free_.back();
  free_.pop_back();
  return request;
}

void World::recycle(Request& request) {
  if (request.state() == activator::HoldState::kRefused) {
    std::destroy_at(&request);  // a refusal is final for the throttler
    std::construct_at(&request, settled_);
  }
  request.is_broken_off = request.is_at_work = request.is_late = false;
  free_.push_back(&request);
}

void World::arrive(const Arrival& arrival) {
  Request& request = free_request();
  request.arrived = now_;
  request.service = arrival.service;
  request.is_measured = recorder_.counts(arrival.at);
  if (request.is_measured) ++recorder_.outcome.arrivals;
  ++open_;
  if (throttler_.enter(request, kHeldBytes, now_) == activator::HoldState::kGranted) {
    granted(request);
  }
  settle();
  after_wait_changed();
}

void World::granted(Request& request) {
  Replica& replica = fleet_.at(request.grant().pod->address().port);
  request.was_cold = replica.ready_since > request.arrived;
  request.deadline = deadline_of(request);
  if (replica.enter(request, workload_.app, now_)) work_on(request);
}

/// The answer of the modelled app begins when it ends, and until then there is silence.
TimePoint World::deadline_of(const Request& request) const {
  TimePoint deadline = TimePoint::max();
  if (settings_.request_timeout > Duration::zero()) {
    deadline = request.arrived + settings_.request_timeout;
  }
  for (const Duration limit : {settings_.response_start_timeout, settings_.idle_timeout}) {
    if (limit > Duration::zero()) deadline = std::min(deadline, now_ + limit);
  }
  return deadline;
}

/// One that was late already in the app's own line ends at once.
void World::work_on(Request& request) {
  request.is_at_work = true;
  request.is_late = request.deadline <= now_;
  if (request.is_late) return ends_.add(now_, &request);
  if (request.is_measured) recorder_.waited(now_ - request.arrived);
  const TimePoint end = request.replica->finish(request, workload_.app, now_);
  request.is_late = end > request.deadline;
  ends_.add(std::min(end, request.deadline), &request);
}

void World::complete(Request& request) {
  if (request.is_broken_off) return recycle(request);
  Replica& replica = *request.replica;
  Request* const next = replica.leave(request, now_);
  throttler_.release(request, activator::PodOutcome::kAnswered, now_);
  if (request.is_measured && request.was_cold && !request.is_late) {
    ++recorder_.outcome.cold_starts;
  }
  end(request, request.is_late ? recorder_.outcome.timed_out : recorder_.outcome.served);
  recycle(request);
  if (next != nullptr) work_on(*next);
  settle();
  after_wait_changed();
  if (replica.phase == ReplicaPhase::kDraining && replica.is_idle()) gone(replica);
}

void World::end(Request& request, std::uint64_t& counter) {
  --open_;
  if (request.is_measured) ++counter;
}

/// Those whom the throttler granted or refused while it was asked something else.
void World::settle() {
  for (std::size_t i = 0; i < settled_.size(); ++i) {
    Request& request = *settled_[i];
    if (request.state() == activator::HoldState::kGranted) {
      granted(request);
    } else {
      end(request, recorder_.outcome.refused);
      recycle(request);
    }
  }
  settled_.clear();
}

/// What the activator's service does after each change while somebody waits or waited.
void World::after_wait_changed() {
  const std::int64_t waiting = throttler_.waiting();
  const bool was_quiet = !std::exchange(was_waiting_, waiting > 0);
  if (was_quiet && waiting == 0) return;
  while (held_.level() < waiting) held_.enter(now_);
  while (held_.level() > waiting) held_.leave(now_);
  reports_held_ = true;
  const bool wakes = throttler_.wake_now(now_);
  const auto tick = has_tick_ ? std::nullopt : throttler_.next_tick(now_);
  if (tick) {
    timers_.add(*tick, {Event::kThrottlerTick});
    has_tick_ = true;
  }
  if (!wakes) return;
  const metrics::Wake wake{.revision = throttler_.revision(),
                           .pod = held_stat_.pod,
                           .boot = held_stat_.boot,
                           .waiting = static_cast<std::uint64_t>(waiting)};
  if (scaler_.accept(wake, now_)) decide();
}

void World::throttler_tick() {
  has_tick_ = false;
  throttler_.tick(now_);
  settle();
  after_wait_changed();
}

// Time.

void World::tell_progress() const {
  const bool is_minute = since_begin() % std::chrono::minutes(1) == Duration::zero();
  if (!is_minute || !*progress_ || now_ >= end_) return;
  (*progress_)(to_seconds(since_begin()) / to_seconds(end_ - begin_));
}

void World::close_second() {
  timers_.add(now_ + kSecond, {Event::kSecond});
  tell_progress();
  recorder_.sample({.used = fleet_.used(),
                    .ready = fleet_.ready(),
                    .want = fleet_.requested,
                    .is_panic = verdict_.is_panic,
                    .in_system = throttler_.in_flight() + throttler_.waiting()},
                   since_begin());
  if (reports_held_) close_second_of_line();
  if (workload_.app.cpu > Duration::zero()) fleet_.measure_cpu(now_);
}

void World::close_second_of_line() {
  const metrics::MeterReading reading = held_.close_second(now_);
  held_stat_.concurrency = reading.mean;
  held_stat_.peak = reading.peak;
  held_stat_.requests = reading.requests;
  ++held_stat_.sequence;
  // Zero is said once, so that nobody takes the silence for "unknown".
  reports_held_ = reading.peak > 0 || held_.level() > 0;
  if (scaler_.accept(held_stat_, now_)) decide();
}

// Replicas.

void World::decide() {
  verdict_ = scaler_.evaluate(fleet_.counts(), now_);
  if (verdict_.want != fleet_.requested) order(verdict_.want);
}

void World::order(PodCount want) {
  if (want != fleet_.requested) recorder_.ordered(want - fleet_.requested, since_begin());
  fleet_.requested = want;
  for (PodCount there = fleet_.staying(); there < want && fleet_.used() < Fleet::kMax; ++there) {
    start_one();
  }
  const std::vector<Replica*> victims = fleet_.victims(want);
  if (victims.empty()) return;
  for (Replica* replica : victims) leave(*replica);
  publish();
}

void World::start_one() {
  Replica& replica = fleet_.order(now_);
  recorder_.used(fleet_.used(), since_begin());
  timers_.add(now_ + workload_.app.start.draw(replica.chance),
              {Event::kStarted, replica.place(), replica.number()});
  // Each queue-proxy's seconds begin when it does, which is not in step with anybody else's.
  timers_.add(now_ + from_seconds(replica.chance.fraction()),
              {Event::kReplicaSecond, replica.place(), replica.number()});
}

void World::started(Replica& replica) {
  if (workload_.app.crash_at_start > 0 &&
      replica.chance.fraction() < workload_.app.crash_at_start) {
    return start_again(replica);
  }
  become_ready(replica);
  publish();
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

void World::start_again(Replica& replica) {
  replica.phase = ReplicaPhase::kStarting;
  ++replica.restarts;
  const auto doublings = std::min<std::uint32_t>(replica.failed_starts++, 10);
  const Duration delay = std::min<Duration>(kFirstRestart * (1U << doublings), kLastRestart);
  timers_.add(now_ + delay + workload_.app.start.draw(replica.chance),
              {Event::kStarted, replica.place(), replica.number()});
}

void World::break_off_all(Replica& replica) {
  for (Request& request : requests_) {
    if (request.replica != &replica) continue;
    replica.break_off(request, now_);
    throttler_.release(request, activator::PodOutcome::kFailed, now_);
    end(request, recorder_.outcome.broken_off);
    request.is_broken_off = true;
    if (!request.is_at_work) recycle(request);
  }
  replica.restart(now_);
}

void World::crash(Replica& replica) {
  const bool was_leaving = replica.phase == ReplicaPhase::kDraining;
  replica.phase = ReplicaPhase::kStarting;
  publish();  // nobody is sent there any more
  break_off_all(replica);
  if (was_leaving) {
    gone(replica);
  } else {
    start_again(replica);
  }
  settle();
  after_wait_changed();
}

void World::leave(Replica& replica) {
  const bool is_free = replica.phase == ReplicaPhase::kStarting || replica.is_idle();
  replica.phase = ReplicaPhase::kDraining;
  if (is_free) return gone(replica);
  timers_.add(now_ + settings_.drain_time(),
              {Event::kDrainOver, replica.place(), replica.number()});
}

void World::drain_over(Replica& replica) {
  break_off_all(replica);
  gone(replica);
  settle();
  after_wait_changed();
}

void World::gone(Replica& replica) {
  fleet_.remove(replica);
  recorder_.used(fleet_.used(), since_begin());
}

void World::publish() {
  throttler_.update({.settings = settings_, .ready = fleet_.ready_views(), .trouble = {}}, now_);
  settle();
  after_wait_changed();
}

}  // namespace bellows::simulator
