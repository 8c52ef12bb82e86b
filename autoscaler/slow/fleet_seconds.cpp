#include "autoscaler/slow/fleet_seconds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bellows::autoscaler::slow {
namespace {

const double kLogOfFirst = std::log(metrics::service_time_seconds(0));
const double kLogOfRatio = std::log(metrics::service_time_seconds(1)) - kLogOfFirst;

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
    // The bucket of the limit is late in part.
    if (limit > 0) second.late += count * std::clamp(middle - limit_bucket_ + 0.5, 0.0, 1.0);
  });
  if (second.count <= 0) return second;
  second.longest = metrics::service_time_seconds(last);
  return second;
}

void FleetSeconds::add(TimePoint now, double in_flight, const SecondOfTimes& times,
                       const std::optional<config::LatencyGoal>& goal) {
  const TimePoint second = std::chrono::floor<std::chrono::seconds>(now);
  if (second != open_) close();
  open_ = second;
  allowed_ = goal ? 1 - goal->quantile : 0;
  in_flight_ += in_flight;
  if (in_flight > 0) replicas_ += 1;
  ended_ += times.count;
  late_ += times.late;
}

void FleetSeconds::close() {
  if (ended_ > 0) {
    sums_.seconds += 1;
    if (allowed_ > 0 && late_ > allowed_ * ended_) sums_.missed += 1;
  }
  if (replicas_ > 0) sums_.crowding = std::max(sums_.crowding, in_flight_ / replicas_);
  in_flight_ = replicas_ = ended_ = late_ = 0;
}

FleetSums FleetSeconds::take() {
  return std::exchange(sums_, FleetSums{});
}

}  // namespace bellows::autoscaler::slow
