#include "autoscaler/core/rules/rhythm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace bellows::autoscaler {
namespace {

/// Fractions of a duration within which requests of a rhythm come; the best is found out of sample.
constexpr std::array kSlacks = {0.002, 0.005, 0.01, 0.02};
/// By which a load is known late, on either side.
constexpr double kSlackSeconds = 2;
/// One evaluation period, and the second by which a load is known late.
constexpr double kLeadSeconds = 3;
/// Durations that agree make a rhythm, the one itself included. Two agree by chance too often.
constexpr int kAgreeing = 3;
/// Durations that have to be known before none of them is due: a call within the constant that has
/// not been seen in fewer may still be likely.
constexpr std::size_t kEnoughToKeepNothing = 12;
/// A replica is not stopped for less.
constexpr double kShortestStop = 30;
/// Of the cost of the constant: what a rhythm may cost to be worth it. A smaller gain may be
/// chance.
constexpr double kClearly = 0.6;

constexpr double kNever = std::numeric_limits<double>::infinity();

/// The known durations, shortest first, each with the time at which its busy period ended.
class Durations {
 public:
  struct Known {
    double duration = 0;
    double idle_from = 0;
  };

  Durations(const IdleTimes& known, bool is_of_periods) {
    const IdleTimes::Durations idle_times = known.idle_times();
    const IdleTimes::Durations durations = is_of_periods ? known.periods() : idle_times;
    for (std::size_t i = 0; i < durations.size(); ++i) {
      sorted_[size_++] = {durations[i], std::max(0.0F, durations[i] - idle_times[i])};
    }
    std::sort(begin(), end(),
              [](const Known& a, const Known& b) { return a.duration < b.duration; });
  }

  std::array<Known, IdleTimes::kKept>::iterator begin() { return sorted_.begin(); }
  std::array<Known, IdleTimes::kKept>::iterator end() {
    return sorted_.begin() + static_cast<std::ptrdiff_t>(size_);
  }
  std::size_t size() const { return size_; }
  const Known& operator[](std::size_t i) const { return sorted_[i]; }

 private:
  std::array<Known, IdleTimes::kKept> sorted_{};
  std::size_t size_ = 0;
};

/// The times at which a replica is there if a rhythm is followed.
class Plan {
 public:
  Plan(const Durations& known, double slack, double start)
      : known_(known), slack_(slack), start_(start) {
    for (std::size_t i = 0; i < known.size(); ++i) {
      for (std::size_t j = 0; j < known.size(); ++j) agreeing_[i] += agree(i, j) ? 1 : 0;
    }
  }

  /// Idle time and cold start of the known duration `at`, predicted from the others.
  KeepCost cost_without(std::size_t at) const {
    const auto [duration, idle_from] = known_[at];
    const Walk walk = walk_to(duration, idle_from, at);
    KeepCost cost{.idle_seconds = walk.kept};
    if (walk.is_ready) return cost;
    cost.cold_starts = 1;
    cost.idle_seconds += start_;
    return cost;
  }

  /// False: no time is due, and nothing is kept.
  bool has_rhythm() const {
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (is_of_rhythm(i, known_.size())) return true;
    }
    return false;
  }

  bool is_there(double now, double idle_from) const {
    return walk_to(now, idle_from, known_.size()).is_there;
  }

 private:
  struct Walk {
    double kept = 0;
    bool is_there = false;  ///< at its end
    bool is_ready = false;  ///< too
  };

  double margin(std::size_t i) const { return slack_ * known_[i].duration + kSlackSeconds; }
  bool agree(std::size_t i, std::size_t j) const {
    return std::abs(known_[j].duration - known_[i].duration) <= margin(i);
  }
  bool is_of_rhythm(std::size_t i, std::size_t left_out) const {
    if (i == left_out) return false;
    const bool lacks_one = left_out < known_.size() && agree(i, left_out);
    return agreeing_[i] - (lacks_one ? 1 : 0) >= kAgreeing;
  }

  /// From `idle_from` to `until`, over the stretches in which a replica is there. They are in order
  /// as the durations are.
  Walk walk_to(double until, double idle_from, std::size_t left_out) const {
    Walk walk;
    double covered = idle_from;  // a replica was there until then, as far as is known yet
    double ready_at = -kNever;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      const double end = known_[i].duration + margin(i);
      if (end <= covered || !is_of_rhythm(i, left_out)) continue;
      double begin = known_[i].duration - margin(i) - start_ - kLeadSeconds;
      const bool stays = begin - covered <= kShortestStop;
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

  const Durations& known_;
  double slack_;
  double start_;
  std::array<int, IdleTimes::kKept> agreeing_{};
};

double total(const KeepCost& cost, const KeepTimes& times) {
  return cost.idle_seconds + times.cold_start_worth * cost.cold_starts;
}

std::optional<KeepCost> cost_of(const Durations& known, double slack, double start) {
  const Plan plan(known, slack, start);
  if (known.size() < kEnoughToKeepNothing && !plan.has_rhythm()) return std::nullopt;
  KeepCost sum;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const KeepCost one = plan.cost_without(i);
    sum.idle_seconds += one.idle_seconds;
    sum.cold_starts += one.cold_starts;
  }
  return sum;
}

}  // namespace

KeepCost cost_of_constant(const IdleTimes& known, const KeepTimes& times) {
  KeepCost cost;
  for (const double idle_time : known.idle_times()) {
    cost.idle_seconds += std::min(idle_time, times.constant);
    if (idle_time <= times.constant) continue;
    ++cost.cold_starts;
    cost.idle_seconds += times.start;
  }
  return cost;
}

std::optional<Rhythm> find_rhythm(const IdleTimes& known, const KeepTimes& times) {
  if (known.idle_times().size() < kAgreeing) return std::nullopt;
  const KeepCost usual = cost_of_constant(known, times);
  double least = kClearly * total(usual, times);
  std::optional<Rhythm> best;
  for (const bool is_of_periods : {false, true}) {
    const Durations durations(known, is_of_periods);
    for (const double slack : kSlacks) {
      const std::optional<KeepCost> cost = cost_of(durations, slack, times.start);
      if (!cost || total(*cost, times) >= least) continue;
      const bool is_dearer =
          cost->cold_starts > usual.cold_starts || cost->idle_seconds > usual.idle_seconds;
      if (is_dearer) continue;
      least = total(*cost, times);
      best = {.is_of_periods = is_of_periods, .slack = slack, .cost = *cost};
    }
  }
  return best;
}

bool is_due(const IdleTimes& known, const Rhythm& rhythm, double start, double last, double first) {
  const Durations durations(known, rhythm.is_of_periods);
  const double now = rhythm.is_of_periods ? first : last;
  return Plan(durations, rhythm.slack, start).is_there(now, now - last);
}

}  // namespace bellows::autoscaler
