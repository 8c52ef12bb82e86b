#include "simulator/request_path.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace bellows::simulator {
namespace {

/// Memory of a waiting request: one page, because its head fits.
constexpr std::size_t kHeldBytes = 4096;

metrics::Stat stat_of_activator() {
  metrics::Stat stat;
  stat.pod = PodName("activator");
  stat.source = metrics::StatSource::kActivator;
  return stat;
}

}  // namespace

RequestPath::RequestPath(const Workload& workload, const config::RevisionSettings& settings,
                         Fleet& fleet, Recorder& recorder, TimePoint begin)
    : workload_(workload),
      settings_(settings),
      fleet_(fleet),
      recorder_(recorder),
      choices_(workload.seed),
      throttler_(RevisionId("simulated"), choices_),
      kinds_(workload.seed ^ 0x5bd1e995),
      begin_(begin),
      held_(begin),
      held_stat_(stat_of_activator()) {}

Request& RequestPath::free_request() {
  if (free_.empty()) free_.push_back(&requests_.emplace_back(settled_));
  Request& request = *free_.back();
  free_.pop_back();
  return request;
}

void RequestPath::recycle(Request& request) {
  if (request.state() == activator::HoldState::kRejected) {
    std::destroy_at(&request);  // the throttler does not accept a rejected request again
    std::construct_at(&request, settled_);
  }
  request.is_aborted = request.is_at_work = request.is_late = false;
  free_.push_back(&request);
}

void RequestPath::arrive(const Arrival& arrival, TimePoint now) {
  Request& request = free_request();
  request.arrived = now;
  request.service = arrival.service;
  const Sharing& sharing = workload_.app.sharing;
  if (sharing.slow_share > 0 && kinds_.fraction() < sharing.slow_share) {
    request.service = from_seconds(sharing.slow_factor * to_seconds(arrival.service));
  }
  request.is_measured = recorder_.counts(arrival.at);
  if (request.is_measured) ++recorder_.outcome.arrivals;
  ++open_;
  if (throttler_.enqueue(request, kHeldBytes, now) == activator::HoldState::kGranted) {
    forward(request, now);
  }
  follow_up(now);
}

void RequestPath::forward(Request& request, TimePoint now) {
  Replica& replica = fleet_.at(request.grant().pod->address().port);
  request.was_cold = replica.ready_since > request.arrived;
  const bool is_first_ahead = replica.is_ahead && !replica.has_served;
  if (is_first_ahead && !request.was_cold) ++recorder_.outcome.hits_ahead;
  replica.has_served = true;
  request.deadline = deadline_of(request, now);
  if (replica.enter(request, workload_.app, now)) work_on(request, now);
  if (replica.is_beyond_memory(workload_.app)) killed_.push_back(&replica);
}

/// The modelled app sends its response when the request ends, and nothing before.
TimePoint RequestPath::deadline_of(const Request& request, TimePoint now) const {
  TimePoint deadline = TimePoint::max();
  if (settings_.request_timeout > Duration::zero()) {
    deadline = request.arrived + settings_.request_timeout;
  }
  for (const Duration limit : {settings_.response_start_timeout, settings_.idle_timeout}) {
    if (limit > Duration::zero()) deadline = std::min(deadline, now + limit);
  }
  return deadline;
}

/// A request whose deadline passed in the queue of the app ends immediately.
void RequestPath::work_on(Request& request, TimePoint now) {
  request.is_at_work = true;
  request.is_late = request.deadline <= now;
  if (request.is_late) return ends_.add(now, &request);
  if (request.is_measured) recorder_.waited(now - request.arrived);
  if (workload_.app.sharing.is_active()) return share_work(request, now);
  const TimePoint end = request.replica->finish(request, workload_.app, now);
  request.is_late = end > request.deadline;
  ends_.add(std::min(end, request.deadline), &request);
}

void RequestPath::share_work(Request& request, TimePoint now) {
  Replica& replica = *request.replica;
  if (request.deadline < TimePoint::max()) ends_.add(request.deadline, &request);
  SharedWork& work = work_of(replica);
  work.add(request, request.service, now);
  predict(work, replica, now);
}

/// Predicts the next end after each change. Predictions that a later change made wrong stay in the
/// queue and are skipped.
void RequestPath::predict(SharedWork& work, const Replica& replica, TimePoint now) {
  const AppModel& app = workload_.app;
  const Duration ready = now - replica.ready_since;
  work.set_speed(
      app.sharing.speed(static_cast<double>(work.size()), app.cores, ready, now - begin_), now);
  if (const auto next = work.next(now)) ends_.add(next->second, next->first);
}

bool RequestPath::ends_now(Request& request, TimePoint now) {
  if (!request.is_at_work || request.replica == nullptr) return false;
  if (request.is_late) return true;  // in the queue of the app; it never worked
  request.is_late = request.deadline <= now;
  return request.is_late || work_of(*request.replica).is_done(request, now);
}

void RequestPath::stop_sharing(Request& request, TimePoint now) {
  Replica& replica = *request.replica;
  SharedWork& work = work_of(replica);
  work.remove(request, now);
  const Sharing& sharing = workload_.app.sharing;
  if (sharing.gc_every > 0 && ++replica.until_pause >= sharing.gc_every) {
    replica.until_pause = 0;
    const auto in_flight = static_cast<Duration::rep>(work.size());
    work.pause_until(now + in_flight * sharing.gc_pause, now);
  }
  predict(work, replica, now);
}

void RequestPath::refresh(Replica& replica, TimePoint now) {
  if (workload_.app.sharing.is_active()) predict(work_of(replica), replica, now);
}

Replica* RequestPath::take_killed() {
  if (killed_.empty()) return nullptr;
  Replica* const replica = killed_.back();
  killed_.pop_back();
  return replica;
}

Replica* RequestPath::complete_next(TimePoint now) {
  Request& request = *ends_.take();
  if (workload_.app.sharing.is_active()) {
    if (!ends_now(request, now)) return nullptr;
    stop_sharing(request, now);
  }
  if (request.is_aborted) {
    recycle(request);
    return nullptr;
  }
  Replica& replica = *request.replica;
  Request* const next = replica.leave(request, now);
  throttler_.release(request, activator::PodOutcome::kResponded, now);
  if (request.is_measured && request.was_cold && !request.is_late) {
    ++recorder_.outcome.cold_starts;
  }
  if (request.is_measured) recorder_.responded(now - request.arrived, request.is_late);
  end(request, request.is_late ? recorder_.outcome.timed_out : recorder_.outcome.served);
  recycle(request);
  if (next != nullptr) work_on(*next, now);
  follow_up(now);
  return &replica;
}

void RequestPath::end(Request& request, std::uint64_t& counter) {
  --open_;
  if (request.is_measured) ++counter;
}

void RequestPath::follow_up(TimePoint now) {
  for (std::size_t i = 0; i < settled_.size(); ++i) {
    Request& request = *settled_[i];
    if (request.state() == activator::HoldState::kGranted) {
      forward(request, now);
    } else {
      end(request, recorder_.outcome.rejected);
      recycle(request);
    }
  }
  settled_.clear();
}

void RequestPath::tick(TimePoint now) {
  has_tick_ = false;
  throttler_.tick(now);
  follow_up(now);
}

void RequestPath::set_replicas(TimePoint now) {
  throttler_.update({.settings = settings_,
                     .ready = fleet_.ready_views(),
                     .requested = fleet_.requested,
                     .learned_target = learned_target_,
                     .failure_message = {}},
                    now);
  follow_up(now);
}

void RequestPath::fill_by(std::optional<double> learned_target, TimePoint now) {
  if (std::exchange(learned_target_, learned_target) != learned_target) set_replicas(now);
}

void RequestPath::abort_all(Replica& replica, TimePoint now) {
  for (Request& request : requests_) {
    if (request.replica != &replica) continue;
    replica.abort(request, now);
    throttler_.release(request, activator::PodOutcome::kFailed, now);
    end(request, recorder_.outcome.aborted);
    request.is_aborted = true;
    if (request.is_measured) recorder_.responded(now - request.arrived, true);
    if (workload_.app.sharing.is_active() && request.is_at_work) {
      if (workload_.app.sharing.downstream > 0) downstream_.remove(request, now);
      request.is_at_work = false;
    }
    if (!request.is_at_work) recycle(request);
  }
  replica.restart(now);
}

RequestPath::WaitChange RequestPath::take_wait_change(TimePoint now) {
  const std::int64_t waiting = throttler_.waiting();
  const bool was_empty = !std::exchange(was_waiting_, waiting > 0);
  if (was_empty && waiting == 0) return {};
  while (held_.level() < waiting) held_.enter(now);
  while (held_.level() > waiting) held_.leave(now);
  reports_held_ = true;
  const bool triggers = throttler_.take_scale_from_zero_trigger(now);
  WaitChange change;
  if (!has_tick_) change.tick = throttler_.next_tick();
  has_tick_ = has_tick_ || change.tick.has_value();
  if (!triggers) return change;
  change.trigger = {.revision = throttler_.service(),
                    .pod = held_stat_.pod,
                    .boot = held_stat_.boot,
                    .waiting = static_cast<std::uint64_t>(waiting)};
  return change;
}

std::optional<metrics::Stat> RequestPath::close_second(TimePoint now) {
  if (!reports_held_) return std::nullopt;
  const metrics::MeterReading reading = held_.close_second(now);
  held_stat_.concurrency = reading.mean;
  held_stat_.peak = reading.peak;
  held_stat_.requests = reading.requests;
  ++held_stat_.sequence;
  // Zero is reported once, so that the missing reports after it do not count as unknown.
  reports_held_ = reading.peak > 0 || held_.level() > 0;
  return held_stat_;
}

}  // namespace bellows::simulator
