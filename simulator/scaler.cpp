#include "simulator/scaler.hpp"

#include <algorithm>
#include <cmath>

#include "autoscaler/core/decider.hpp"
#include "autoscaler/core/fresh_start.hpp"

namespace bellows::simulator {
namespace {

constexpr Duration kDeadAfter = std::chrono::seconds(3);

autoscaler::WindowLoad load_of(const metrics::WindowView& view) {
  return {.total = view.total, .per_pod = view.per_pod, .covered_seconds = view.covered_seconds};
}

}  // namespace

DecidingScaler::DecidingScaler(const config::RevisionSettings& settings)
    : spec_(autoscaler::scaling_spec(settings)),
      measure_{.metric = settings.metric, .aggregation = settings.aggregation},
      windows_(settings.window, settings.panic_window(), kDeadAfter) {
  windows_.measure_by(measure_);
  if (settings.rules.missing_seconds == config::MissingSeconds::kZero) {
    collector_.emplace(settings.window, settings.panic_window(), measure_.aggregation);
  }
}

void DecidingScaler::begin(const FleetCounts& fleet, TimePoint now) {
  state_ = autoscaler::begin(spec_, observe(fleet, now), now);
}

bool DecidingScaler::accept(const metrics::Stat& stat, TimePoint now) {
  windows_.record(stat, now);
  if (stat.source == metrics::StatSource::kActivator) {
    waiting_ = stat.concurrency;
    heard_ = now;
  }
  return state_.want == 0 && stat.concurrency > 0;
}

bool DecidingScaler::accept(const metrics::Wake& wake, TimePoint now) {
  waiting_ = static_cast<double>(std::max<std::uint64_t>(1, wake.waiting));
  heard_ = now;
  if (collector_) collector_->record(now, 1, 1);  // as Knative's activator pushes it
  return state_.want == 0;
}

void DecidingScaler::second_over(TimePoint now) {
  constexpr Duration kLately = std::chrono::seconds(1);
  if (!collector_) return;
  double concurrency = now - heard_ <= kLately ? waiting_ : 0;
  double requests = 0;
  for (const metrics::PodReading& pod : windows_.pods(now)) {
    if (now - pod.end > kLately) continue;  // gone
    concurrency += pod.concurrency;
    requests += static_cast<double>(pod.requests);
  }
  collector_->record(now, concurrency, requests);
}

Verdict DecidingScaler::evaluate(const FleetCounts& fleet, TimePoint now) {
  const autoscaler::Decision decision = autoscaler::decide(spec_, observe(fleet, now), state_, now);
  autoscaler::remember(state_, decision);
  return {.want = decision.want, .is_panic = decision.mode == autoscaler::Mode::kPanic};
}

autoscaler::Observation DecidingScaler::observe(const FleetCounts& fleet, TimePoint now) {
  autoscaler::Observation seen;
  const metrics::WindowView stable = windows_.average(metrics::Window::kStable, now);
  seen.stable = load_of(stable);
  const metrics::WindowView panic = windows_.average(metrics::Window::kPanic, now);
  seen.panic = load_of(panic);
  seen.newest = windows_.newest_load(now);
  seen.stable_rate = stable.requests;
  seen.panic_rate = panic.requests;
  seen.in_window = stable.pods_in_window;
  // Who reports and is neither starting nor leaving, as far as anybody knows, serves.
  seen.observed = std::max(stable.pods - fleet.others_reporting, fleet.ready_reporting);
  seen.silent = fleet.ready - fleet.ready_reporting;
  seen.ready = fleet.ready;
  seen.starting = fleet.starting;
  seen.requested = fleet.requested;
  const bool is_fresh = now - heard_ <= kDeadAfter;
  seen.waiting = is_fresh ? static_cast<std::uint64_t>(std::ceil(waiting_)) : 0;
  if (const auto last = windows_.last_load()) seen.idle_for = std::max(Duration(0), now - *last);
  seen.start_time = fleet.start_time;
  seen.cpu = fleet.cpu;
  if (collector_) take_loads_of_knative(seen, now);
  return seen;
}

void DecidingScaler::take_loads_of_knative(autoscaler::Observation& seen, TimePoint now) {
  seen.stable.total = collector_->stable(measure_.metric, now);
  seen.panic.total = collector_->panic(measure_.metric, now);
}

Oracle::Oracle(const std::vector<std::int32_t>& most_in_service, TimePoint begin, double slots,
               Duration start)
    : most_in_service_(most_in_service),
      begin_(begin),
      slots_(slots),
      ahead_(start + autoscaler::kEvaluationPeriod) {}

PodCount Oracle::needed_from(TimePoint now) const {
  const auto second_of = [&](TimePoint at) {
    const auto whole = std::chrono::floor<std::chrono::seconds>(at - begin_).count();
    return std::min(whole, std::ssize(most_in_service_));
  };
  const auto first = most_in_service_.begin() + second_of(now);
  const auto last = most_in_service_.begin() + second_of(now + ahead_ + std::chrono::seconds(1));
  const auto most = std::max_element(first, last);
  return most == last ? 0 : static_cast<PodCount>(std::ceil(*most / slots_));
}

}  // namespace bellows::simulator
