#include "simulator/demand.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "report/json_text.hpp"

namespace bellows::simulator {
namespace {

constexpr double kMost = 1e9;  // replicas, far beyond what is started

FullBy full_by_of(const config::RevisionSettings& settings) {
  if (settings.container_concurrency > 0) return FullBy::kLimit;
  return settings.metric == config::Metric::kRps ? FullBy::kRate : FullBy::kTarget;
}

}  // namespace

std::string room_text(FullBy full_by, double size) {
  const std::string number = report::shortest_text(size);
  if (full_by == FullBy::kLimit) return number + " slots a replica";
  const std::string unit = full_by == FullBy::kRate ? " requests a second" : " requests";
  return number + unit + " a replica, by target, without a limit";
}

std::string_view to_string(FullBy full_by) {
  static constexpr std::array<std::string_view, 3> kNames = {"limit", "target", "rate"};
  return kNames.at(static_cast<std::size_t>(full_by));
}

Demand::Demand(const Survey& limits, const config::RevisionSettings& settings)
    : limits_(&limits), full_by_(full_by_of(settings)), size_(settings.total_target()) {
  if (full_by_ == FullBy::kLimit) size_ = settings.container_concurrency;
}

double Demand::mean(std::size_t second) const {
  if (second >= seconds()) return 0;
  const bool is_rate = full_by_ == FullBy::kRate;
  return (is_rate ? double(limits_->arrivals[second]) : limits_->mean_in_service[second]) / size_;
}

PodCount Demand::most(std::size_t second) const {
  const bool is_rate = full_by_ == FullBy::kRate;
  const double full =
      is_rate ? double(limits_->arrivals[second]) : double(limits_->most_in_service[second]);
  return static_cast<PodCount>(std::min(std::ceil(full / size_), kMost));
}

double Demand::filled_by(std::int64_t in_system, std::size_t second) const {
  if (full_by_ == FullBy::kRate) return mean(second);
  return static_cast<double>(in_system) / size_;
}

double Demand::replica_seconds() const {
  const bool is_rate = full_by_ == FullBy::kRate;
  return (is_rate ? static_cast<double>(limits_->requests) : limits_->service_seconds) / size_;
}

}  // namespace bellows::simulator
