#include "simulator/demand.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number_text.hpp"

namespace bellows::simulator {
namespace {

constexpr double kMaxPlanned = 1e9;  // replicas, far more than are ever started

/// The maximum of concurrent requests in a replica; 0: no limit.
std::int32_t limit_of(const AppModel& app, const config::RevisionSettings& settings) {
  const std::int32_t slots = settings.container_concurrency;
  if (slots == 0 || app.workers == 0) return std::max(slots, app.workers);
  return std::min(slots, app.workers);
}

/// Zero for a second without a value: the app needs no CPU.
double at(const auto& of_each_second, std::size_t second) {
  return second < of_each_second.size() ? of_each_second[second] : 0;
}

}  // namespace

std::string capacity_text(FullBy full_by, double size) {
  const std::string number = shortest_text(size);
  const std::string s = size == 1 ? "" : "s";
  if (full_by == FullBy::kLimit) return number + " slot" + s + " per replica";
  const std::string unit = " request" + s + (full_by == FullBy::kRate ? " per second" : "");
  return number + unit + " per replica (the target; no limit)";
}

std::string_view to_string(FullBy full_by) {
  static constexpr std::array<std::string_view, 3> kNames = {"limit", "target", "rate"};
  return kNames.at(static_cast<std::size_t>(full_by));
}

Demand::Demand(const LoadProfile& profile, const AppModel& app,
               const config::RevisionSettings& settings)
    : profile_(&profile), full_by_(FullBy::kLimit), size_(limit_of(app, settings)) {
  if (size_ > 0) return;
  full_by_ = settings.metric == config::Metric::kRps ? FullBy::kRate : FullBy::kTarget;
  size_ = settings.total_target();
}

double Demand::mean(std::size_t second) const {
  if (second >= seconds()) return 0;
  const bool is_rate = full_by_ == FullBy::kRate;
  const double load = is_rate ? profile_->arrivals[second] : profile_->in_service.mean[second];
  return std::max(load / size_, at(profile_->on_cpu.mean, second));
}

PodCount Demand::max(std::size_t second) const {
  const bool is_rate = full_by_ == FullBy::kRate;
  const double load =
      is_rate ? profile_->arrivals[second] : at(profile_->in_service.max_at_once, second);
  const double needed = std::max(load / size_, at(profile_->on_cpu.max_at_once, second));
  return static_cast<PodCount>(std::min(std::ceil(needed), kMaxPlanned));
}

double Demand::filled_by(std::int64_t in_system, std::size_t second) const {
  if (full_by_ == FullBy::kRate) return mean(second);
  return static_cast<double>(in_system) / size_;
}

double Demand::replica_seconds() const {
  const bool is_rate = full_by_ == FullBy::kRate;
  const double load =
      is_rate ? static_cast<double>(profile_->requests) : profile_->in_service.seconds;
  return std::max(load / size_, profile_->on_cpu.seconds);
}

}  // namespace bellows::simulator
