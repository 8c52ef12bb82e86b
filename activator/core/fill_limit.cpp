#include "activator/core/fill_limit.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::activator {
namespace {

/// 0: the settings want none, or container-concurrency limits the replicas.
std::int32_t limit_of(const config::RevisionSettings& settings) {
  constexpr double kMax = 1'000'000;
  const bool is_ours = settings.profile == config::Profile::kBellows &&
                       settings.load_balancing == config::LoadBalancing::kLeastLoaded &&
                       settings.metric == config::Metric::kConcurrency;
  if (!is_ours || settings.container_concurrency > 0) return 0;
  const double limit = std::ceil(kFillFactor * settings.total_target());
  return static_cast<std::int32_t>(std::clamp(limit, 1.0, kMax));
}

}  // namespace

void FillLimit::update(const config::RevisionSettings& settings, PodCount requested,
                       PodCount ready) {
  limit_ = limit_of(settings);
  is_starting_ = requested > ready;
  may_grow_ = settings.max_scale == 0 || requested < settings.max_scale;
}

std::int32_t FillLimit::slots(bool is_waiting, TimePoint now) {
  if (lifted_until_ && now >= *lifted_until_) lifted_until_.reset();
  if (limit_ == 0 || lifted_until_ || (!is_starting_ && !may_grow_)) {
    waits_since_.reset();
    return 0;
  }
  if (!is_waiting) {
    waits_since_.reset();
    return limit_;
  }
  if (!waits_since_) waits_since_ = now;
  if (now < *next_change()) return limit_;
  lifted_until_ = now + kLiftedTime;
  waits_since_.reset();
  return 0;
}

std::optional<TimePoint> FillLimit::next_change() const {
  if (!waits_since_) return std::nullopt;
  return *waits_since_ + (is_starting_ ? kStartPatience : kOrderPatience);
}

}  // namespace bellows::activator
