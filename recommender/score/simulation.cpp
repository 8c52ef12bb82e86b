#include "recommender/score/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bellows::recommender::score {

namespace {

using namespace std::chrono_literals;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
/// Work that has waited this long is dropped.
constexpr Duration kWorkTimeout = 1min;
// VPA's updater, at the commit that docs/recommender.md names.
constexpr Duration kQuickOom = 10min;
constexpr Duration kSettled = 12h;
constexpr double kWorthwhile = 0.1;

Demand amounts(const Request& request) {
  return {static_cast<double>(request.cpu.value) / kMillicoresPerCore,
          static_cast<double>(request.memory.value)};
}

template <class Amount>
bool is_outside(Amount given, const std::optional<Amount>& lower,
                const std::optional<Amount>& upper) {
  return (lower && given < *lower) || (upper && given > *upper);
}

double part_of(std::int64_t target, std::int64_t given) {
  if (given == 0) return target == 0 ? 0 : 1;
  return std::abs(static_cast<double>(target - given)) / static_cast<double>(given);
}

class Simulation {
 public:
  Simulation(const Workload& workload, Sizer& sizer, const SimulationSettings& settings)
      : workload_(workload), sizer_(sizer), settings_(settings), given_(workload.first) {
    timeline_.step = workload.step;
    timeline_.steps.resize(workload.by_time.size());
    take(given_, {});
  }

  Timeline run() {
    for (std::size_t life = 0; life < workload_.lifetimes.size(); ++life) {
      const Interval& planned = workload_.lifetimes[life];
      idle(planned.begin);
      begin_life(life);
      for (now_ = planned.begin; now_ < planned.end; ++now_) run_step();
      is_living_ = false;
      sizer_.on_lifetime_end(wall(start_of(now_)));
    }
    idle(workload_.by_time.size());
    return std::move(timeline_);
  }

 private:
  WallTime wall(Duration at) const { return kReplayEpoch + at; }
  Duration start_of(std::size_t step) const {
    return static_cast<Duration::rep>(step) * workload_.step;
  }

  /// Adds steps up to `end` without a container.
  void idle(std::size_t end) {
    for (; now_ < end; ++now_) {
      note_sizes(timeline_.steps[now_]);
      recommend();
    }
  }

  void begin_life(std::size_t life) {
    since_ = start_of(now_);
    up_at_ = since_;
    is_living_ = true;
    is_up_ = true;
    is_crash_loop_ = false;
    row_ = 0;
    queued_work_ = 0;
    sizer_.on_lifetime_begin(life, wall(since_));
    sizer_.on_request(given_, wall(since_));
  }

  void note_sizes(Step& state) const {
    state.request = amounts(given_);
    state.limit = limit_;
  }

  void run_step();
  void use(Step& state);
  bool dies() const;
  void die(Duration at);
  void come_up();
  void recommend();
  bool is_due(const Sizes& sizes, const Request& target) const;
  void take(const Request& request, const Amounts& upper);

  std::size_t age() const {
    const Duration begun = std::max(start_of(now_), since_);
    return static_cast<std::size_t>((begun - since_) / workload_.step);
  }

  const Workload& workload_;
  Sizer& sizer_;
  const SimulationSettings& settings_;
  Timeline timeline_;

  Request given_;
  Demand limit_;
  Duration changed_at_{};

  std::size_t now_ = 0;     // step
  bool is_living_ = false;  // within a planned lifetime
  bool is_up_ = false;
  Duration since_{};  // the last start or restart
  Duration up_at_{};  // the next restart while it is down
  std::size_t row_ = 0;
  bool is_crash_loop_ = false;
  double queued_work_ = 0;  // core-steps
};

bool Simulation::dies() const {
  return workload_.is_crashing(now_) ||
         workload_.at(now_, age()).memory_bytes > limit_.memory_bytes;
}

void Simulation::run_step() {
  Step& state = timeline_.steps[now_];
  state.is_scheduled = true;
  note_sizes(state);
  const Duration end = start_of(now_ + 1);
  Duration at = start_of(now_);
  double alive = to_seconds(end - at);
  while (true) {
    if (!is_up_) {
      alive -= to_seconds(std::min(end, up_at_) - at);
      if (up_at_ >= end) break;
      at = up_at_;
      come_up();
    }
    if (!dies()) break;
    die(at);
  }
  state.alive = alive / to_seconds(workload_.step);
  state.demand = workload_.at(now_, age());
  if (is_up_) use(state);
  recommend();
}

void Simulation::use(Step& state) {
  const double offered = state.demand.cpu_cores + queued_work_;
  const double max_queued =
      state.demand.cpu_cores * std::max(1., to_seconds(kWorkTimeout) / to_seconds(workload_.step));
  state.used.cpu_cores = std::min(offered, state.limit.cpu_cores);
  state.used.memory_bytes = state.demand.memory_bytes;
  queued_work_ = std::min(offered - state.used.cpu_cores, max_queued);
  const WallTime at = wall(start_of(now_ + 1));
  sizer_.on_usage({at, Resource::kCpu, state.used.cpu_cores});
  sizer_.on_usage({at, Resource::kMemory, state.used.memory_bytes});
}

void Simulation::die(Duration at) {
  const bool is_oom = !workload_.is_crashing(now_);
  row_ = at - since_ >= kBackOffReset ? 1 : row_ + 1;
  Duration back_off = kInitialBackOff;
  for (std::size_t i = 1; i < row_ && back_off < kMaxBackOff; ++i) back_off *= 2;
  up_at_ = at + std::min(back_off, kMaxBackOff) + kStartDuration;
  is_up_ = false;
  queued_work_ = 0;
  timeline_.deaths.push_back({.at = at, .back = up_at_, .is_oom = is_oom, .streak = row_});
  if (is_oom) sizer_.on_event({wall(at), OomKilled{given_.memory}});
  sizer_.on_event({wall(at), Crashed{}});
  if (row_ > 1) {
    is_crash_loop_ = true;
    sizer_.on_event({wall(at), CrashLoop{true}});
  }
}

void Simulation::come_up() {
  is_up_ = true;
  since_ = up_at_;
  sizer_.on_event({wall(since_), Started{}});
  if (is_crash_loop_) sizer_.on_event({wall(since_), CrashLoop{false}});
  is_crash_loop_ = false;
}

void Simulation::take(const Request& request, const Amounts& upper) {
  given_ = request;
  const Demand requested = amounts(request);
  limit_ = {requested.cpu_cores * settings_.cpu_limit_ratio,
            requested.memory_bytes * settings_.memory_limit_ratio};
  if (settings_.limit == LimitRule::kUpperBound) {
    if (upper.cpu) {
      limit_.cpu_cores =
          std::max(requested.cpu_cores, static_cast<double>(upper.cpu->value) / kMillicoresPerCore);
    }
    if (upper.memory) {
      limit_.memory_bytes =
          std::max(requested.memory_bytes, static_cast<double>(upper.memory->value));
    }
  }
  if (request.cpu.value == 0) limit_.cpu_cores = kNoLimit;
  if (request.memory.value == 0) limit_.memory_bytes = kNoLimit;
}

bool Simulation::is_due(const Sizes& sizes, const Request& target) const {
  if (target == given_) return false;
  if (settings_.apply == ApplyRule::kAtOnce) return true;
  if (is_outside(given_.cpu, sizes.lower_bound.cpu, sizes.upper_bound.cpu)) return true;
  if (is_outside(given_.memory, sizes.lower_bound.memory, sizes.upper_bound.memory)) return true;
  const Duration now = start_of(now_ + 1);
  const bool was_killed = !timeline_.deaths.empty() && timeline_.deaths.back().is_oom &&
                          now - timeline_.deaths.back().at < kQuickOom;
  if (was_killed) return true;
  const double difference = part_of(target.cpu.value, given_.cpu.value) +
                            part_of(target.memory.value, given_.memory.value);
  return now - std::max(changed_at_, since_) >= kSettled && difference >= kWorthwhile;
}

void Simulation::recommend() {
  const Duration now = start_of(now_ + 1);
  if (now % kInterval != Duration::zero()) return;
  const std::optional<Sizes> sizes = sizer_.recommend(wall(now));
  if (!sizes) return;
  const Request target{std::min(kNode.cpu, sizes->target.cpu.value_or(given_.cpu)),
                       std::min(kNode.memory, sizes->target.memory.value_or(given_.memory))};
  if (!is_due(*sizes, target)) {
    if (settings_.limit == LimitRule::kUpperBound) take(given_, sizes->upper_bound);
    return;
  }
  take(target, sizes->upper_bound);
  changed_at_ = now;
  ++timeline_.changes;
  if (is_living_) sizer_.on_request(given_, wall(now));
}

}  // namespace

Timeline simulate(const Workload& workload, Sizer& sizer, const SimulationSettings& settings) {
  return Simulation(workload, sizer, settings).run();
}

}  // namespace bellows::recommender::score
