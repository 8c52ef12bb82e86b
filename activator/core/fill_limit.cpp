#include "activator/core/fill_limit.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::activator {
namespace {

/// Returns 0 if the settings disable the limit, or if a hard limit bounds the replicas.
std::int32_t limit_of(const config::RevisionSettings& settings,
                      std::optional<double> learned_target) {
  constexpr double kMax = 1'000'000;
  const bool is_ours = settings.profile == config::Profile::kBellows &&
                       settings.load_balancing == config::LoadBalancing::kLeastLoaded &&
                       settings.metric == config::Metric::kConcurrency;
  if (!is_ours || settings.container_concurrency > 0) return 0;
  const double limit = std::ceil(kFillFactor * learned_target.value_or(settings.total_target()));
  return static_cast<std::int32_t>(std::clamp(limit, 1.0, kMax));
}

}  // namespace

std::int32_t FillLimit::most() const {
  if (is_learned_) return limit_;
  return std::max(limit_, static_cast<std::int32_t>(kFillFactor * trusted_.served));
}

bool FillLimit::is_slow() const {
  return usual_.mean() > 0 && full_.mean() > kSlow * usual_.mean();
}

bool FillLimit::serves_what_comes(TimePoint now) const {
  const bool is_careful = careful_until_ && now < *careful_until_;
  return is_default_ && trusted_.has_answered && !is_slow() && !is_careful;
}

void FillLimit::update(const config::RevisionSettings& settings, PodCount requested, PodCount ready,
                       std::optional<double> learned_target) {
  const std::int32_t limit = limit_of(settings, learned_target);
  if (limit != limit_) served_ = 0;
  limit_ = limit;
  if (limit_ == 0) waits_since_.reset();
  is_learned_ = learned_target.has_value();
  is_default_ = !is_learned_ && !settings.target;
  is_starting_ = requested > ready;
  may_grow_ = settings.max_scale == 0 || requested < settings.max_scale;
}

void FillLimit::record(std::int32_t load, Duration took, PodOutcome outcome, TimePoint now) {
  if (limit_ == 0 || outcome == PodOutcome::kUnknown || outcome == PodOutcome::kFull) return;
  if (careful_until_ && now >= *careful_until_) careful_until_.reset();
  if (outcome == PodOutcome::kResponded) {
    record_response(to_seconds(took), load);
  } else if (load > limit_ / kFillFactor) {
    careful_until_ = now + kCaution;
  }
  if (careful_until_) served_ = 0;
}

void FillLimit::RecentSeconds::add(double seconds, std::int32_t load) {
  requests_ = std::min(requests_ + 1, std::max<double>(kFewest, load));
  mean_ += (seconds - mean_) / requests_;
}

void FillLimit::record_response(double seconds, std::int32_t load) {
  const bool is_full = load > limit_ / kFillFactor;
  (is_full ? full_ : usual_).add(seconds, load);
  served_ = is_slow() ? 0 : std::max(served_, is_full ? load : 0);
}

void FillLimit::trust(bool is_waiting, TimePoint now) {
  const Duration longest = is_starting_ ? kStartPatience : kOrderPatience;
  if (calm_since_ && now - *calm_since_ >= kCalmTime) burst_since_.reset();
  if (!burst_since_ || now - *burst_since_ >= longest) {
    trusted_ = {.served = served_, .has_answered = usual_.is_of_many()};
  }
  trusted_.served = std::min(trusted_.served, served_);
  if (is_waiting || is_starting_) {
    calm_since_.reset();
    if (!burst_since_) burst_since_ = now;
  } else if (!calm_since_) {
    calm_since_ = now;
  }
}

std::int32_t FillLimit::slots(bool is_waiting, TimePoint now) {
  trust(is_waiting, now);
  if (lifted_until_ && now >= *lifted_until_) lifted_until_.reset();
  const bool has_all_replicas = !is_starting_ && !may_grow_;
  const bool has_none = lifted_until_ || serves_what_comes(now);
  if (limit_ == 0 || has_none || (has_all_replicas && !is_learned_)) {
    waits_since_.reset();
    return 0;
  }
  if (!is_waiting || has_all_replicas) {
    waits_since_.reset();
    return most();
  }
  if (!waits_since_) waits_since_ = now;
  if (now < *next_change()) return most();
  lifted_until_ = now + kLiftedTime;
  waits_since_.reset();
  return 0;
}

std::optional<TimePoint> FillLimit::next_change() const {
  if (!waits_since_) return std::nullopt;
  return *waits_since_ + (is_starting_ ? kStartPatience : kOrderPatience);
}

}  // namespace bellows::activator
