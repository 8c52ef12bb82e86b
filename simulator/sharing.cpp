#include "simulator/sharing.hpp"

#include <algorithm>
#include <cmath>

#include "simulator/replica.hpp"

namespace bellows::simulator {
namespace {

/// Less than a nanosecond of work: the rounding of times.
constexpr double kRounding = 2e-9;

}  // namespace

double Sharing::speed(double n, double cores, Duration ready, Duration at) const {
  double speed = 1;
  if (cores_are_shared) speed = std::min(1.0, cores / std::max(n, 1.0));
  if (downstream > 0) speed = std::min(1.0, downstream / std::max(n, 1.0));
  if (n > 1) speed /= 1 + contention * (n - 1) + crosstalk * n * (n - 1);
  if (cold_factor > 1 && ready < warm_up) {
    const double warm = std::max(0.0, to_seconds(ready) / to_seconds(warm_up));
    speed *= 1 / cold_factor + (1 - 1 / cold_factor) * warm;
  }
  if (change_at > Duration::zero() && at >= change_at) speed /= change_factor;
  if (noise_every > Duration::zero() && at % noise_every >= noise_every - noise_for) {
    speed /= noise_factor;
  }
  return speed;
}

void SharedWork::advance(TimePoint now) {
  const TimePoint begin = std::max(last_, paused_until_);
  if (now > begin) {
    const double progress = speed_ * to_seconds(now - begin);
    progress_ += progress;
    done_ += progress * static_cast<double>(requests_.size());
  }
  last_ = std::max(last_, now);
}

void SharedWork::add(Request& request, Duration work, TimePoint now) {
  advance(now);
  request.work_end = progress_ + to_seconds(work);
  request.work_serial = next_serial_++;
  requests_.emplace(Place(request.work_end, request.work_serial), &request);
}

void SharedWork::remove(Request& request, TimePoint now) {
  advance(now);
  requests_.erase(Place(request.work_end, request.work_serial));
  if (requests_.empty()) progress_ = 0;  // so that it stays exact
}

void SharedWork::clear(TimePoint now) {
  advance(now);
  requests_.clear();
  progress_ = 0;
  paused_until_ = {};
}

std::optional<std::pair<Request*, TimePoint>> SharedWork::next(TimePoint now) {
  advance(now);
  if (requests_.empty()) return std::nullopt;
  const auto& [place, request] = *requests_.begin();
  const double left = std::max(0.0, place.first - progress_) / speed_;
  const auto wait = static_cast<Duration::rep>(std::ceil(left * 1e9));
  return std::pair(request, std::max(now, paused_until_) + Duration(wait));
}

bool SharedWork::is_done(const Request& request, TimePoint now) {
  advance(now);
  return request.work_end <= progress_ + kRounding;
}

}  // namespace bellows::simulator
