#include "autoscaler/slow/interval.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bellows::autoscaler::slow {
namespace {

/// Returns true if an app used most of its memory, then suddenly less than half of it, and requests
/// failed. Without failed requests it only freed the memory of a burst.
bool was_killed(double before, double after, double limit, double errors) {
  constexpr double kFreedShare = 0.6;
  const bool is_freed = before > kFreedShare * limit && after > 0 && after < before / 2;
  return is_freed && errors > 0;
}

/// Returns the requests in flight before an out-of-memory kill in this second; 0: no kill.
/// `in_flight` and `memory`, in MiB, are those of the second before.
double killed_at(double in_flight, double memory, const metrics::Stat& stat) {
  const double limit = mebibytes_of(stat.reading->memory_limit.value_or(Bytes{}));
  const auto errors = static_cast<double>(stat.reading->errors);
  if (limit <= 0) return 0;
  const bool was =
      was_killed(memory, mebibytes_of(stat.reading->memory.value_or(Bytes{})), limit, errors);
  return was ? std::max(in_flight, 1.0) : 0;
}

}  // namespace

bool IntervalMeter::Seen::was_like(double level, double seconds) const {
  const auto count = static_cast<std::size_t>(
      std::clamp(std::ceil(seconds), 1.0, static_cast<double>(levels.size())));
  for (std::size_t i = 1; i <= count; ++i) {
    const auto before = static_cast<double>(levels[(next + levels.size() - i) % levels.size()]);
    if (before < 0) continue;
    if (before > kUnlike * level + 1 || level > kUnlike * before + 1) return false;
  }
  return true;
}

void IntervalMeter::Seen::push(double level) {
  levels[next] = static_cast<float>(level);
  next = static_cast<std::uint8_t>((next + 1U) % levels.size());
}

void IntervalMeter::settle() {
  const std::int64_t passed = fleet_.closed() - std::exchange(settled_, fleet_.closed());
  if (passed == 0) return;
  const LevelTable before = std::exchange(before_, std::exchange(open_, LevelTable{}));
  if (fleet_.is_stalled()) {
    before_ = {};
    return;
  }
  interval_.table.add(before);
  if (passed > 1) interval_.table.add(std::exchange(before_, LevelTable{}));
}

void IntervalMeter::record(const metrics::Stat& stat, const SlowSpec& spec, TimePoint now) {
  if (stat.source == metrics::StatSource::kActivator) return fleet_.wait(now, stat.concurrency);
  if (!stat.reading) return;
  const metrics::ReplicaReading& reading = *stat.reading;
  const auto [it, is_new] = replicas_.try_emplace(stat.pod.text());
  Seen& seen = it->second;
  if (is_new || seen.boot != stat.boot) {
    seen = {.first = now < old_until_ ? now - kYoung : now, .last = now, .boot = stat.boot};
    seen.levels.fill(-1);
  }
  if (now < seen.last) return;  // an earlier second that was sent again
  seen.last = now;
  if (reading.cpu_limit)
    interval_.limits.cpu = static_cast<double>(reading.cpu_limit->value) / 1000;
  const double limit = mebibytes_of(reading.memory_limit.value_or(Bytes{}));
  if (limit > 0) interval_.limits.memory = limit;
  if (const double level = killed_at(seen.in_flight, seen.memory, stat); level > 0) {
    interval_.killed_at = interval_.killed_at > 0 ? std::min(interval_.killed_at, level) : level;
    seen.first = now;  // the app is young again
  }
  const std::int32_t hard_limit = spec.hard_limit;
  const double slots = hard_limit > 0 ? hard_limit : stat.concurrency;
  const double in_app = std::min(stat.concurrency, slots);
  seen.memory = mebibytes_of(reading.memory.value_or(Bytes{}));
  seen.in_flight = hard_limit > 0 ? std::min<double>(stat.peak, hard_limit) : stat.peak;
  const SecondOfTimes times = fleet_.read(reading.times, spec.goal);
  const bool is_like_before = seen.was_like(in_app, times.longest);
  seen.push(in_app);
  const bool is_young = now - seen.first < std::min(kYoung, spec.window);
  fleet_.add(now, in_app, static_cast<double>(stat.requests), times, spec);
  settle();
  if (is_young || fleet_.is_stalled()) return;
  // Memory is measured at the end of a second, between its requests and those of the next one.
  if (seen.open_memory) {
    const double between = (seen.open_level + in_app) / 2;
    if (interval_.table.find(level_of(between)) != nullptr) {
      open_.add_memory(between, *seen.open_memory);
    }
  }
  seen.open_memory = reading.memory;
  seen.open_level = in_app;
  open_.add(in_app, reading, {.times = is_like_before, .memory = false});
}

Interval IntervalMeter::take(TimePoint now, bool is_rollout) {
  boost::unordered::erase_if(
      replicas_, [&](const auto& replica) { return now - replica.second.last > kYoung; });
  fleet_.wait(now, 0);  // closes the second before
  settle();
  Interval taken = std::exchange(interval_, Interval{});
  taken.fleet = fleet_.take();
  interval_.begin = now;
  interval_.limits = taken.limits;
  taken.end = now;
  taken.is_rollout = is_rollout;
  return taken;
}

}  // namespace bellows::autoscaler::slow
