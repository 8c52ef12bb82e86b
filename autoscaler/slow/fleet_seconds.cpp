#include "autoscaler/slow/fleet_seconds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bellows::autoscaler::slow {
namespace {

const double kLogOfFirst = std::log(metrics::service_time_seconds(0));
const double kLogOfRatio = std::log(metrics::service_time_seconds(1)) - kLogOfFirst;

/// The limits of a stall: the share of ended requests beside the mean of the last seconds, with as
/// many arrivals and at most kUnlike times the usual requests in flight, and the least number of
/// ended requests.
constexpr double kFewEnded = 0.6;
constexpr double kRecentSeconds = 10;
constexpr double kLeastEnded = 10;
/// The ratio below which two values count as equal.
constexpr double kUsualFactor = 1.2;
constexpr double kCalm = 3;

}  // namespace

SecondOfTimes FleetSeconds::read(const metrics::ServiceTimes& times,
                                 const std::optional<config::LatencyGoal>& goal) {
  const double limit = goal ? to_seconds(goal->limit) : 0;
  if (limit != limit_) {
    limit_ = limit;
    limit_bucket_ = limit > 0 ? (std::log(limit) - kLogOfFirst) / kLogOfRatio : 0;
  }
  SecondOfTimes second;
  std::size_t last = 0;
  times.for_each([&](std::size_t bucket, std::uint32_t requests) {
    const auto count = static_cast<double>(requests);
    const auto middle = static_cast<double>(bucket);
    second.count += count;
    last = bucket;
    // A part of the limit's bucket is late.
    if (limit > 0) second.late += count * std::clamp(middle - limit_bucket_ + 0.5, 0.0, 1.0);
  });
  if (second.count <= 0) return second;
  second.longest = metrics::service_time_seconds(last);
  return second;
}

void FleetSeconds::add(TimePoint now, double in_flight, double arrived, const SecondOfTimes& times,
                       const SlowSpec& spec) {
  open(now);
  allowed_ = spec.goal ? 1 - spec.goal->quantile : 0;
  share_ = spec.share;
  in_flight_ += in_flight;
  arrived_ += arrived;
  if (in_flight > 0) replicas_ += 1;
  ended_ += times.count;
  late_ += times.late;
}

void FleetSeconds::open(TimePoint now) {
  const TimePoint second = std::chrono::floor<std::chrono::seconds>(now);
  if (second == open_) return;
  close();
  closed_ += std::max<std::int64_t>((second - open_) / std::chrono::seconds(1), 1);
  open_ = second;
}

void FleetSeconds::wait(TimePoint now, double waiting) {
  open(now);
  waiting_ += waiting;
}

void FleetSeconds::watch_stall() {
  if (stalled_for_ > 0) {
    calm_ = in_flight_ <= kUsualFactor * recent_in_flight_ ? calm_ + 1 : 0;
    const bool is_over = calm_ >= kCalm || stalled_for_ >= kMinute;
    stalled_for_ = is_over ? 0 : stalled_for_ + 1;
    return;
  }
  const bool was_usual = recent_in_flight_ <= kUnlike * usual_;
  const bool can_tell = known_ >= kRecentSeconds && recent_ended_ >= kLeastEnded && was_usual;
  const bool came =
      kUsualFactor * arrived_ >= recent_arrived_ && arrived_ <= kUsualFactor * recent_arrived_;
  if (can_tell && came && ended_ < kFewEnded * recent_ended_) {
    stalled_for_ = 1;
    calm_ = 0;
    return;
  }
  recent_arrived_ += (arrived_ - recent_arrived_) / kRecentSeconds;
  recent_ended_ += (ended_ - recent_ended_) / kRecentSeconds;
  recent_in_flight_ += (in_flight_ - recent_in_flight_) / kRecentSeconds;
}

/// Returns true if requests wait longer than the goal allows, by Little's law, and for those behind
/// them until the queue is empty. They end a second later.
bool FleetSeconds::is_waiting() {
  const bool is_long = limit_ > 0 && waiting_ > limit_ * arrived_;
  const bool waits = is_long || (waited_ && waiting_ > 0);
  return std::exchange(waited_, waits) || waits;
}

void FleetSeconds::close() {
  watch_stall();
  if (ended_ > 0) sums_.seconds += 1;
  const bool is_missed = allowed_ > 0 && ended_ > 0 && late_ > allowed_ * ended_;
  const JumpWatch::Missed missed = jumps_.add(open_, arrived_, in_flight_, is_missed, is_waiting());
  sums_.missed += missed.otherwise;
  sums_.missed_by_jumps += missed.by_jumps;
  take_jumps();
  if (replicas_ > 0) sums_.crowding = std::max(sums_.crowding, in_flight_ / replicas_);
  usual_ += (in_flight_ - usual_) / kMinute;
  known_ += 1;
  in_flight_ = replicas_ = arrived_ = ended_ = late_ = waiting_ = 0;
}

/// Scales the load of each jump to the whole service, because the share may change until the next
/// jump, and the next revision has its own. Without a share the requests are those of a tag and say
/// nothing about the service.
void FleetSeconds::take_jumps() {
  for (Jump jump : jumps_.take()) {
    if (share_ <= 0) continue;
    jump.load /= share_;
    sums_.jumps.push_back(jump);
  }
}

FleetSums FleetSeconds::take() {
  return std::exchange(sums_, FleetSums{});
}

}  // namespace bellows::autoscaler::slow
