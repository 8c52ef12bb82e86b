#include "simulator/scaler.hpp"

#include <algorithm>
#include <utility>

#include "autoscaler/core/decider.hpp"
#include "autoscaler/core/rules/fresh_start.hpp"

namespace bellows::simulator {
namespace {

constexpr Duration kReportTimeout = std::chrono::seconds(3);
constexpr std::chrono::seconds kCalendarBegin(1'767'225'600);  // 2026-01-01T00:00:00Z

}  // namespace

DecidingScaler::DecidingScaler(const config::RevisionSettings& settings, DecisionSink sink)
    : settings_(settings),
      slow_spec_(autoscaler::slow::slow_spec(settings)),
      spec_(autoscaler::scaling_spec(settings)),
      windows_(settings, kReportTimeout),
      queues_(kReportTimeout),
      sink_(std::move(sink)) {}

void DecidingScaler::begin(const FleetCounts& fleet, TimePoint now) {
  state_ = autoscaler::begin(spec_, observe(fleet, now), now);
  (void)meter_.take(now, false);
  learns_at_ = now;
}

bool DecidingScaler::accept(const metrics::Stat& stat, TimePoint now) {
  windows_.record(stat, now);
  if (settings_.slow_brain.mode == config::SlowBrain::kAuto) {
    meter_.record(stat, slow_spec_, now);
  }
  if (stat.source == metrics::StatSource::kActivator) {
    queues_.record(stat.pod, stat.concurrency, now - stat.age);
  }
  return state_.replicas == 0 && stat.concurrency > 0;
}

bool DecidingScaler::accept(const metrics::ScaleFromZeroTrigger& trigger, TimePoint now) {
  queues_.record(trigger.pod, static_cast<double>(std::max<std::uint64_t>(1, trigger.waiting)),
                 now);
  return state_.replicas == 0;
}

void DecidingScaler::size_for(const config::RevisionSettings& settings) {
  spec_ = autoscaler::scaling_spec(settings);
}

void DecidingScaler::learn(TimePoint now) {
  namespace slow = autoscaler::slow;
  if (settings_.slow_brain.mode != config::SlowBrain::kAuto) return;
  if (now < learns_at_ && !meter_.has_kill()) return;
  const slow::Advice advice = slow::evaluate(slow_spec_, learned_, meter_.take(now, false));
  learns_at_ = now + slow::evaluation_period(slow_spec_, learned_, now);
  size_for(slow::with_target(settings_, advice));
  learned_target_ = advice.target;
  advised(advice);
}

Verdict DecidingScaler::evaluate(const FleetCounts& fleet, TimePoint now) {
  learn(now);
  const autoscaler::Decision decision = autoscaler::decide(spec_, observe(fleet, now), state_, now);
  if (sink_) sink_(state_, decision);
  autoscaler::remember(state_, decision);
  return {.desired = decision.replicas, .is_panic = decision.mode == autoscaler::Mode::kPanic};
}

autoscaler::Observation DecidingScaler::observe(const FleetCounts& fleet, TimePoint now) {
  autoscaler::Observation seen = windows_.view(now);
  // A reporting replica that is not known to start or drain serves requests.
  seen.observed = std::max(seen.observed - fleet.others_reporting, fleet.ready_reporting);
  seen.not_reporting = fleet.ready - fleet.ready_reporting;
  seen.ready = fleet.ready;
  seen.starting = fleet.starting;
  seen.requested = fleet.requested;
  seen.waiting = queues_.waiting(now);
  seen.start_time = fleet.start_time;
  seen.start_spread = fleet.start_spread;
  seen.cpu = fleet.cpu;
  if (!spec_.policies.is_plain()) seen.policy = autoscaler::PolicySeenPtr(policies_see(fleet, now));
  return seen;
}

/// The calendar begins with the year 2026. The scale-down keeps no replica, because a ready replica
/// finishes its requests.
autoscaler::PolicySeen DecidingScaler::policies_see(const FleetCounts& fleet, TimePoint now) const {
  autoscaler::PolicySeen more;
  more.wall = WallTime(kCalendarBegin) + now.time_since_epoch();
  more.rooms = {.creating = fleet.starting,
                .ready = fleet.ready - fleet.occupied,
                .occupied = fleet.occupied,
                .terminating = fleet.draining};
  if (fleet.cpu) {
    more.cpu = autoscaler::Consumption{.usage = *fleet.cpu * fleet.ready,
                                       .requests = static_cast<double>(fleet.ready)};
  }
  return more;
}

Oracle::Oracle(const Demand& demand, TimePoint begin, Duration start)
    : demand_(demand), begin_(begin), ahead_(start + autoscaler::kEvaluationPeriod) {}

PodCount Oracle::needed_from(TimePoint now) const {
  const auto second_of = [&](TimePoint at) {
    const auto whole = std::chrono::floor<std::chrono::seconds>(at - begin_).count();
    return std::min(static_cast<std::size_t>(whole), demand_.seconds());
  };
  const std::size_t end = second_of(now + ahead_ + std::chrono::seconds(1));
  PodCount needed = 0;
  for (std::size_t second = second_of(now); second < end; ++second) {
    needed = std::max(needed, demand_.max(second));
  }
  return needed;
}

}  // namespace bellows::simulator
