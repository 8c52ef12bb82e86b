#include "bench/slow/peers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace bellows::slow_table {
namespace {

std::optional<double> median_of(const metrics::ReplicaReading& reading) {
  double total = 0;
  reading.times.for_each([&](std::size_t, std::uint32_t count) { total += count; });
  if (total <= 0) return std::nullopt;
  double below = 0;
  std::optional<double> found;
  reading.times.for_each([&](std::size_t bucket, std::uint32_t count) {
    below += count;
    if (!found && below >= total / 2) found = metrics::service_time_seconds(bucket);
  });
  return found;
}

}  // namespace

double EnvoyGradient::update(double sample, double in_flight, double now) {
  constexpr double kPinned = 3;
  if (!is_measuring_ && now - measured_at_ > 60) {
    is_measuring_ = true;
    lowest_ = 1e9;
    seen_ = 0;
    limit_ = kPinned;
  }
  if (is_measuring_) {
    lowest_ = std::min(lowest_, sample);
    seen_ += std::max(1.0, in_flight);
    if (seen_ < 50) return limit_;
    minimum_ = lowest_;
    measured_at_ = now;
    is_measuring_ = false;
    return limit_;
  }
  const double gradient = std::clamp(1.25 * minimum_ / sample, 0.5, 2.0);
  const double next = limit_ * gradient;
  return limit_ = std::clamp(next + std::sqrt(next), kPinned, 1000.0);
}

double Gradient2::update(double sample, double in_flight, double /*now*/) {
  constexpr double kWindow = 600;
  samples_ += 1;
  const double factor = samples_ <= 10 ? 1 / samples_ : 2 / (kWindow + 1);
  long_ = long_ * (1 - factor) + sample * factor;
  if (long_ / sample > 2) long_ *= 0.95;
  if (in_flight < limit_ / 2) return limit_;
  const double gradient = std::clamp(1.5 * long_ / sample, 0.5, 1.0);
  const double next = limit_ * gradient + 4;
  return limit_ = std::clamp(0.8 * limit_ + 0.2 * next, 20.0, 200.0);
}

template <class Limit>
void LimitScaler<Limit>::update(const metrics::Stat& stat, TimePoint now) {
  const auto sample = median_of(*stat.reading);
  if (!sample) return;
  limits_[stat.pod.text()].update(*sample, stat.concurrency, to_seconds(now.time_since_epoch()));
  double sum = 0;
  for (const auto& [name, limit] : limits_) sum += limit.limit();
  config::RevisionSettings sized = settings();
  sized.target = std::max(1.0, sum / static_cast<double>(limits_.size()));
  size_for(sized);
}

template class LimitScaler<EnvoyGradient>;
template class LimitScaler<Gradient2>;

bool HpaScaler::accept(const metrics::Stat& stat, TimePoint now) {
  if (stat.reading && stat.reading->cpu && stat.reading->cpu_limit) {
    used_[stat.pod.text()] =
        to_seconds(*stat.reading->cpu) * 1000 / static_cast<double>(stat.reading->cpu_limit->value);
    seen_[stat.pod.text()] = now;
  }
  return DecidingScaler::accept(stat, now);
}

simulator::Verdict HpaScaler::evaluate(const simulator::FleetCounts& fleet, TimePoint now) {
  constexpr double kTarget = 0.6;
  simulator::Verdict verdict = DecidingScaler::evaluate(fleet, now);
  if (now < next_) {
    verdict.desired = desired_;
    return verdict;
  }
  next_ = now + std::chrono::seconds(15);
  double sum = 0;
  double pods = 0;
  for (const auto& [name, used] : used_) {
    if (now - seen_[name] > std::chrono::seconds(3)) continue;
    sum += used;
    pods += 1;
  }
  const double ratio = pods > 0 ? sum / pods / kTarget : 1;
  const double ready = std::max(1, fleet.ready);
  const bool is_within = std::abs(ratio - 1) <= 0.1;
  const auto wanted = static_cast<PodCount>(is_within ? ready : std::ceil(ready * ratio));
  recommended_.emplace_back(now, std::max<PodCount>(1, wanted));
  std::erase_if(recommended_,
                [&](const auto& old) { return now - old.first > std::chrono::minutes(5); });
  PodCount highest = 1;
  for (const auto& [at, pods_then] : recommended_) highest = std::max(highest, pods_then);
  desired_ = highest;
  verdict.desired = desired_;
  return verdict;
}

}  // namespace bellows::slow_table
