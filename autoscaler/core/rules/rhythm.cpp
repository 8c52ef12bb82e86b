#include "autoscaler/core/rules/rhythm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>

#include "autoscaler/core/observation.hpp"

namespace bellows::autoscaler {
namespace {

/// Fractions of a period by which calls of a timer come early or late; the best is found out of
/// sample, and with the widest calls are joined to timers while only the period is asked for.
constexpr std::array kSlacks = {0.001, 0.004, 0.016};
/// Two calls of a timer may be two by chance, and the next one has to come where they say.
constexpr int kCallsOfATimer = 2;
/// A timer may miss so many in a row: a call that falls into a busy period is not seen.
constexpr int kMissed = 1;
/// Idle times that have to be known before any rhythm is looked for.
constexpr std::size_t kEnough = 3;
/// The newest idle times that have to be longer than the constant before no call is due: a call
/// within it that has not been seen in fewer may still be likely.
constexpr std::size_t kToKeepNothing = 12;
/// Of the cost of the constant: what a rhythm may cost to be worth it. A smaller gain may be
/// chance.
constexpr double kClearly = 0.8;

/// Busy periods, oldest first, in seconds after the newest one began.
class Calls {
 public:
  struct Call {
    double begin = 0;
    double end = 0;
  };

  explicit Calls(const IdleTimes& known) : size_(known.size() + 1) {
    for (std::size_t i = size_ - 1; i-- > 0;) {
      const auto [idle_time, period] = known[i];
      const double next = calls_[i + 1].begin;
      calls_[i].begin = next - period;
      calls_[i].end = next - std::min(idle_time, period);
    }
  }
  std::size_t size() const { return size_; }
  const Call& operator[](std::size_t i) const { return calls_[i]; }
  const Call& newest() const { return calls_[size_ - 1]; }

 private:
  std::array<Call, IdleTimes::kKept + 1> calls_{};
  std::size_t size_;
};

/// Timers of one period that explain the calls seen so far, and when a replica is there for them.
class Timers {
 public:
  Timers(double period, double slack, double start)
      : period_(period), slack_(slack * period + to_seconds(kEvaluationPeriod)), start_(start) {}

  /// A call joins the timer that expected it, else it may be the first one of another.
  void see(double call) {
    forget_missed(call);
    Timer* own = nullptr;
    for (std::size_t i = 0; i < size_; ++i) {
      const double off = call - due(timers_[i]);
      if (off < -slack_) continue;
      if (!own || std::abs(off) < std::abs(call - due(*own))) own = &timers_[i];
    }
    if (!own) {
      timers_[size_++] = {.newest = call, .smoothed = call, .calls = 1, .missed = 0};
      return;
    }
    joined_seconds_ += call - own->newest;
    joined_periods_ += 1 + own->missed;
    // One that is late once is not late the next time, but it may drift.
    *own = {
        .newest = call, .smoothed = (due(*own) + call) / 2, .calls = own->calls + 1, .missed = 0};
  }

  /// Mean distance of calls of the same timer; nothing if two distances do not even agree.
  std::optional<double> mean_period() const {
    if (joined_periods_ < 2) return std::nullopt;
    return joined_seconds_ / joined_periods_;
  }

  struct Walk {
    double kept = 0;        ///< seconds in which a replica was there
    bool is_there = false;  ///< at its end
    bool is_ready = false;  ///< too
  };

  /// From the end of the last call to `until`, over the stretches in which a replica is there.
  Walk walk(double from, double until) const {
    const Dues dues = dues_after(from);
    Walk walk;
    double covered = from;  // a replica was there until then
    double ready_at = from;
    for (std::size_t i = 0; i < dues.size; ++i) {
      const double end = dues.at[i] + slack_;
      // A load is known, and a replica ordered, an evaluation late.
      double begin = dues.at[i] - slack_ - start_ - to_seconds(kEvaluationPeriod);
      const bool stays = begin <= covered;
      if (stays) begin = covered;
      if (begin > until) break;
      if (!stays) ready_at = begin + start_;
      walk.kept += std::min(end, until) - begin;
      walk.is_there = until <= end;
      walk.is_ready = walk.is_there && until >= ready_at;
      covered = end;
    }
    return walk;
  }

 private:
  struct Timer {
    double newest = 0;    ///< its newest call
    double smoothed = 0;  ///< when that should have come, by the earlier ones too
    int calls = 0;
    int missed = 0;  ///< since the newest
  };
  struct Dues {
    std::array<double, (1 + kMissed) * (IdleTimes::kKept + 1)> at;
    std::size_t size = 0;
  };

  double due(const Timer& timer) const { return timer.smoothed + (1 + timer.missed) * period_; }

  void forget_missed(double now) {
    std::size_t left = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      Timer timer = timers_[i];
      const int may_miss = timer.calls < kCallsOfATimer ? 0 : kMissed;
      while (timer.missed <= may_miss && now > due(timer) + slack_) ++timer.missed;
      if (timer.missed <= may_miss) timers_[left++] = timer;
    }
    size_ = left;
  }

  Dues dues_after(double from) const {
    Dues dues;
    for (std::size_t i = 0; i < size_; ++i) {
      Timer timer = timers_[i];
      if (timer.calls < kCallsOfATimer) continue;
      for (; timer.missed <= kMissed; ++timer.missed) {
        if (due(timer) + slack_ > from) dues.at[dues.size++] = due(timer);
      }
    }
    std::sort(dues.at.begin(), dues.at.begin() + static_cast<std::ptrdiff_t>(dues.size));
    return dues;
  }

  double period_;
  double slack_;
  double start_;
  double joined_seconds_ = 0;
  int joined_periods_ = 0;
  std::array<Timer, IdleTimes::kKept + 1> timers_{};  // one for each call at most
  std::size_t size_ = 0;
};

double total(const KeepCost& cost, double cold_start_worth) {
  return cost.idle_seconds + cold_start_worth * cost.cold_starts;
}

void add(KeepCost& cost, double idle_seconds, bool is_cold, const KeepTimes& times) {
  cost.idle_seconds += idle_seconds + (is_cold ? times.start : 0);
  cost.cold_starts += is_cold ? 1 : 0;
}

void add_constant(KeepCost& cost, double idle_time, const KeepTimes& times) {
  add(cost, std::min(idle_time, times.constant), idle_time > times.constant, times);
}

std::optional<double> mean_period(const Calls& calls, double period) {
  Timers timers(period, kSlacks.back(), 0);
  for (std::size_t i = 0; i < calls.size(); ++i) timers.see(calls[i].begin);
  return timers.mean_period();
}

/// Of the rhythms that are worth it the one with the fewest cold starts.
class Choice {
 public:
  Choice(const KeepTimes& times, const KeepCost& usual, double max_cold_starts)
      : times_(times), usual_(usual), max_cold_starts_(max_cold_starts) {}

  /// Also of a cost that is not complete: it only grows.
  bool is_too_dear(const KeepCost& cost) const {
    const double worth = times_.cold_start_worth;
    if (total(cost, worth) > kClearly * total(usual_, worth)) return true;
    if (cost.cold_starts > max_cold_starts_ || cost.idle_seconds > usual_.idle_seconds) return true;
    return best_ && std::tie(cost.cold_starts, cost.idle_seconds) >=
                        std::tie(best_->cost.cold_starts, best_->cost.idle_seconds);
  }
  void offer(const Rhythm& rhythm) {
    if (!is_too_dear(rhythm.cost)) best_ = rhythm;
  }
  const std::optional<Rhythm>& best() const { return best_; }

 private:
  KeepTimes times_;
  KeepCost usual_;
  double max_cold_starts_;
  std::optional<Rhythm> best_;
};

/// Each call is predicted from the earlier ones alone. Before two periods are known nothing can be,
/// and the constant holds. Not complete if the choice falls on another in any case.
KeepCost cost_of_timers(const Calls& calls, double period, double slack, const KeepTimes& times,
                        const Choice& choice) {
  Timers timers(period, slack, times.start);
  const double first_judged =
      calls[0].begin + kCallsOfATimer * period * (1 - slack) - to_seconds(kEvaluationPeriod);
  KeepCost cost;
  timers.see(calls[0].begin);
  for (std::size_t i = 1; i < calls.size() && !choice.is_too_dear(cost); ++i) {
    const double from = calls[i - 1].end;
    const double until = calls[i].begin;
    if (until < first_judged) {
      add_constant(cost, until - from, times);
    } else {
      const Timers::Walk walk = timers.walk(from, until);
      add(cost, walk.kept, !walk.is_ready, times);
    }
    timers.see(until);
  }
  return cost;
}

/// A period of the newest calls is the distance of one of them from an earlier one.
void offer_periods_of(const Calls& calls, std::size_t newest, const KeepTimes& times,
                      Choice& choice) {
  const double known = calls.newest().begin - calls[0].begin;
  for (std::size_t earlier = newest; earlier-- > 0;) {
    const double distance = calls[newest].begin - calls[earlier].begin;
    if (kCallsOfATimer * distance > known) return;
    const std::optional<double> period = mean_period(calls, distance);
    if (!period) continue;
    for (const double slack : kSlacks) {
      choice.offer({.period = *period,
                    .slack = slack,
                    .cost = cost_of_timers(calls, *period, slack, times, choice)});
    }
  }
}

std::optional<Rhythm> nothing_kept(const IdleTimes& known, const KeepTimes& times) {
  if (known.size() < kToKeepNothing) return std::nullopt;
  KeepCost usual;
  KeepCost nothing;
  for (std::size_t i = known.size() - kToKeepNothing; i < known.size(); ++i) {
    add_constant(usual, known[i].idle_time, times);
    add(nothing, 0, true, times);
  }
  Choice choice(times, usual, usual.cold_starts);
  choice.offer({.period = 0, .slack = 0, .cost = nothing});
  return choice.best();
}

std::optional<Rhythm> look_for_rhythm(const IdleTimes& known, const KeepTimes& times) {
  if (known.size() < kEnough) return std::nullopt;
  KeepCost usual;
  for (const double idle_time : known.idle_times()) add_constant(usual, idle_time, times);
  // Timers that expect next to no call cost little and are by chance.
  Choice choice(times, usual, kClearly * usual.cold_starts);
  const Calls calls(known);
  // The newest call may be of no timer, or of the seldom one of two.
  for (const std::size_t newest : {calls.size() - 1, calls.size() - 2}) {
    offer_periods_of(calls, newest, times, choice);
  }
  return choice.best() ? choice.best() : nothing_kept(known, times);
}

}  // namespace

std::optional<Rhythm> find_rhythm(const IdleTimes& known, const KeepTimes& times) {
  if (!known.found() || known.found()->times != times) {
    known.keep_found({.times = times, .rhythm = look_for_rhythm(known, times)});
  }
  return known.found()->rhythm;
}

bool is_due(const IdleTimes& known, const Rhythm& rhythm, double start, double last, double first) {
  if (rhythm.keeps_nothing()) return false;
  const Calls calls(known);
  Timers timers(rhythm.period, rhythm.slack, start);
  for (std::size_t i = 0; i < calls.size(); ++i) timers.see(calls[i].begin);
  return timers.walk(first - last, first).is_there;
}

}  // namespace bellows::autoscaler
