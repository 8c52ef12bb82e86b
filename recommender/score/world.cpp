#include "recommender/score/world.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bellows::recommender::score {

namespace {

using namespace std::chrono_literals;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr double kMillicores = 1000;
/// Callers give up on work that waited this long.
constexpr Duration kPatience = 1min;
// VPA's updater, at the commit that docs/recommender.md names.
constexpr Duration kQuickOom = 10min;
constexpr Duration kSettled = 12h;
constexpr double kWorthwhile = 0.1;

Demand amounts(const Request& request) {
  return {static_cast<double>(request.cpu.value) / kMillicores,
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

class World {
 public:
  World(const Workload& workload, Sizer& sizer, const WorldSettings& settings)
      : workload_(workload), sizer_(sizer), settings_(settings), given_(workload.first) {
    track_.step = workload.step;
    track_.moments.resize(workload.by_time.size());
    take(given_, {});
  }

  Track run() {
    for (std::size_t life = 0; life < workload_.lives.size(); ++life) {
      const Stretch& planned = workload_.lives[life];
      idle(planned.begin);
      begin_life(life);
      for (now_ = planned.begin; now_ < planned.end; ++now_) run_step();
      is_living_ = false;
      sizer_.life_ends(wall(start_of(now_)));
    }
    idle(workload_.by_time.size());
    return std::move(track_);
  }

 private:
  WallTime wall(Duration at) const { return kReplayEpoch + at; }
  Duration start_of(std::size_t step) const {
    return static_cast<Duration::rep>(step) * workload_.step;
  }

  /// Steps up to `end` in which no container is wanted.
  void idle(std::size_t end) {
    for (; now_ < end; ++now_) {
      note_sizes(track_.moments[now_]);
      ask();
    }
  }

  void begin_life(std::size_t life) {
    since_ = start_of(now_);
    up_at_ = since_;
    is_living_ = true;
    is_up_ = true;
    is_crash_loop_ = false;
    row_ = 0;
    waiting_work_ = 0;
    sizer_.life_begins(life, wall(since_));
    sizer_.given(given_, wall(since_));
  }

  void note_sizes(Moment& moment) const {
    moment.request = amounts(given_);
    moment.limit = limit_;
  }

  void run_step();
  void use(Moment& moment);
  bool dies() const;
  void die(Duration at);
  void come_up();
  void ask();
  bool is_due(const Sizes& sizes, const Request& target) const;
  void take(const Request& request, const Amounts& upper);

  std::size_t age() const {
    const Duration begun = std::max(start_of(now_), since_);
    return static_cast<std::size_t>((begun - since_) / workload_.step);
  }

  const Workload& workload_;
  Sizer& sizer_;
  const WorldSettings& settings_;
  Track track_;

  Request given_;
  Demand limit_;
  Duration changed_at_{};

  std::size_t now_ = 0;     // step
  bool is_living_ = false;  // within a planned life
  bool is_up_ = false;
  Duration since_{};  // when this life, after a death this part of it, began
  Duration up_at_{};  // while it is down: when it will be up
  std::size_t row_ = 0;
  bool is_crash_loop_ = false;
  double waiting_work_ = 0;  // cores over one step
};

bool World::dies() const {
  return workload_.is_broken(now_) || workload_.at(now_, age()).memory_bytes > limit_.memory_bytes;
}

void World::run_step() {
  Moment& moment = track_.moments[now_];
  moment.is_wanted = true;
  note_sizes(moment);
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
  moment.alive = alive / to_seconds(workload_.step);
  moment.wanted = workload_.at(now_, age());
  if (is_up_) use(moment);
  ask();
}

void World::use(Moment& moment) {
  const double offered = moment.wanted.cpu_cores + waiting_work_;
  const double max_waiting =
      moment.wanted.cpu_cores * std::max(1., to_seconds(kPatience) / to_seconds(workload_.step));
  moment.used.cpu_cores = std::min(offered, moment.limit.cpu_cores);
  moment.used.memory_bytes = moment.wanted.memory_bytes;
  waiting_work_ = std::min(offered - moment.used.cpu_cores, max_waiting);
  const WallTime at = wall(start_of(now_ + 1));
  sizer_.measured({at, Resource::kCpu, moment.used.cpu_cores});
  sizer_.measured({at, Resource::kMemory, moment.used.memory_bytes});
}

void World::die(Duration at) {
  const bool is_oom = !workload_.is_broken(now_);
  row_ = at - since_ >= kForgiven ? 1 : row_ + 1;
  Duration back_off = kFirstBackOff;
  for (std::size_t i = 1; i < row_ && back_off < kMaxBackOff; ++i) back_off *= 2;
  up_at_ = at + std::min(back_off, kMaxBackOff) + kStartTakes;
  is_up_ = false;
  waiting_work_ = 0;
  track_.deaths.push_back({.at = at, .back = up_at_, .is_oom = is_oom, .row = row_});
  if (is_oom) sizer_.happened({wall(at), OomKilled{given_.memory}});
  sizer_.happened({wall(at), Crashed{}});
  if (row_ > 1) {
    is_crash_loop_ = true;
    sizer_.happened({wall(at), CrashLoop{true}});
  }
}

void World::come_up() {
  is_up_ = true;
  since_ = up_at_;
  sizer_.happened({wall(since_), Started{}});
  if (is_crash_loop_) sizer_.happened({wall(since_), CrashLoop{false}});
  is_crash_loop_ = false;
}

void World::take(const Request& request, const Amounts& upper) {
  given_ = request;
  const Demand asked = amounts(request);
  limit_ = {asked.cpu_cores * settings_.cpu_limit_ratio,
            asked.memory_bytes * settings_.memory_limit_ratio};
  if (settings_.limit == LimitRule::kUpperBound) {
    if (upper.cpu) {
      limit_.cpu_cores =
          std::max(asked.cpu_cores, static_cast<double>(upper.cpu->value) / kMillicores);
    }
    if (upper.memory) {
      limit_.memory_bytes = std::max(asked.memory_bytes, static_cast<double>(upper.memory->value));
    }
  }
  if (request.cpu.value == 0) limit_.cpu_cores = kNoLimit;
  if (request.memory.value == 0) limit_.memory_bytes = kNoLimit;
}

bool World::is_due(const Sizes& sizes, const Request& target) const {
  if (target == given_) return false;
  if (settings_.apply == ApplyRule::kAtOnce) return true;
  if (is_outside(given_.cpu, sizes.lower_bound.cpu, sizes.upper_bound.cpu)) return true;
  if (is_outside(given_.memory, sizes.lower_bound.memory, sizes.upper_bound.memory)) return true;
  const Duration now = start_of(now_ + 1);
  const bool was_killed = !track_.deaths.empty() && track_.deaths.back().is_oom &&
                          now - track_.deaths.back().at < kQuickOom;
  if (was_killed) return true;
  const double difference = part_of(target.cpu.value, given_.cpu.value) +
                            part_of(target.memory.value, given_.memory.value);
  return now - std::max(changed_at_, since_) >= kSettled && difference >= kWorthwhile;
}

void World::ask() {
  const Duration now = start_of(now_ + 1);
  if (now % kInterval != Duration::zero()) return;
  const std::optional<Sizes> sizes = sizer_.ask(wall(now));
  if (!sizes) return;
  const Request target{std::min(kNode.cpu, sizes->target.cpu.value_or(given_.cpu)),
                       std::min(kNode.memory, sizes->target.memory.value_or(given_.memory))};
  if (!is_due(*sizes, target)) {
    if (settings_.limit == LimitRule::kUpperBound) take(given_, sizes->upper_bound);
    return;
  }
  take(target, sizes->upper_bound);
  changed_at_ = now;
  ++track_.changes;
  if (is_living_) sizer_.given(given_, wall(now));
}

}  // namespace

Track live_through(const Workload& workload, Sizer& sizer, const WorldSettings& settings) {
  return World(workload, sizer, settings).run();
}

}  // namespace bellows::recommender::score
