#include "autoscaler/slow/level_table.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::autoscaler::slow {
namespace {

constexpr double kFirstLevel = 0.5;
constexpr double kPerDecade = 10;
/// A negligible weight, which only takes memory.
constexpr double kForgotten = 0.01;

}  // namespace

double mebibytes_of(Bytes memory) {
  return static_cast<double>(memory.value) / (1024.0 * 1024.0);
}

std::size_t level_of(double in_flight) {
  if (!(in_flight >= kFirstLevel)) return 0;
  const double level = 1 + std::floor(kPerDecade * std::log10(in_flight / kFirstLevel) + 1e-9);
  return static_cast<std::size_t>(std::min(level, static_cast<double>(kLevels - 1)));
}

void TimesSum::cover(std::size_t bucket) {
  if (counts_.empty()) {
    first_ = bucket;
    counts_.assign(1, 0);
  } else if (bucket < first_) {
    counts_.insert(counts_.begin(), first_ - bucket, 0);
    first_ = bucket;
  } else if (bucket >= first_ + counts_.size()) {
    counts_.resize(bucket - first_ + 1, 0);
  }
}

void TimesSum::add(std::size_t bucket, float count) {
  cover(bucket);
  counts_[bucket - first_] += count;
}

void TimesSum::add(const metrics::ServiceTimes& times) {
  times.for_each(
      [this](std::size_t bucket, std::uint32_t count) { add(bucket, static_cast<float>(count)); });
}

void TimesSum::add(const TimesSum& other) {
  if (other.counts_.empty()) return;
  cover(other.first_);
  cover(other.first_ + other.counts_.size() - 1);
  for (std::size_t i = 0; i < other.counts_.size(); ++i) {
    counts_[other.first_ - first_ + i] += other.counts_[i];
  }
}

void TimesSum::scale(float factor) {
  for (float& count : counts_) count *= factor;
}

double TimesSum::count() const {
  double sum = 0;
  for (const float count : counts_) sum += static_cast<double>(count);
  return sum;
}

template <class F>
std::optional<double> TimesSum::weighted_quantile(double quantile, F weight) const {
  double total = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) total += weight(i);
  if (!(total > 0)) return std::nullopt;
  double below = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const double here = weight(i);
    if (here > 0 && below + here >= quantile * total) {
      // Interpolates within the bucket, so that a quantile does not move in steps of 10 %.
      const double within = std::clamp((quantile * total - below) / here, 0.0, 1.0);
      return metrics::service_time_seconds(first_ + i) * std::pow(1.1, within - 0.5);
    }
    below += here;
  }
  return metrics::service_time_seconds(first_ + counts_.size() - 1);
}

std::optional<double> TimesSum::quantile(double quantile) const {
  return weighted_quantile(quantile, [this](std::size_t i) { return double{counts_[i]}; });
}

std::optional<double> TimesSum::quantile_of_work(double quantile) const {
  return weighted_quantile(quantile, [this](std::size_t i) {
    return double{counts_[i]} * metrics::service_time_seconds(first_ + i);
  });
}

std::optional<double> TimesSum::mean() const {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const auto count = static_cast<double>(counts_[i]);
    sum += count * metrics::service_time_seconds(first_ + i);
    total += count;
  }
  if (!(total > 0)) return std::nullopt;
  return sum / total;
}

std::optional<double> TimesSum::mean_log() const {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const auto count = static_cast<double>(counts_[i]);
    sum += count * std::log(metrics::service_time_seconds(first_ + i));
    total += count;
  }
  if (!(total > 0)) return std::nullopt;
  return sum / total;
}

void LevelSum::add(const LevelSum& other) {
  seconds += other.seconds;
  in_flight += other.in_flight;
  completed += other.completed;
  errors += other.errors;
  cpu += other.cpu;
  cpu_seconds += other.cpu_seconds;
  memory += other.memory;
  memory_seconds += other.memory_seconds;
  times.add(other.times);
}

bool LevelSum::scale(double factor) {
  for (double* sum :
       {&seconds, &in_flight, &completed, &errors, &cpu, &cpu_seconds, &memory, &memory_seconds}) {
    *sum *= factor;
  }
  times.scale(static_cast<float>(factor));
  return seconds >= kForgotten;
}

const LevelSum* LevelTable::find(std::size_t level) const {
  for (const LevelSum& sum : levels_) {
    if (sum.level == level) return &sum;
  }
  return nullptr;
}

LevelSum& LevelTable::at(std::size_t level) {
  auto it = levels_.begin();
  while (it != levels_.end() && it->level < level) ++it;
  if (it == levels_.end() || it->level != level) {
    it = levels_.emplace(it);
    it->level = static_cast<std::uint8_t>(level);
  }
  return *it;
}

void LevelTable::add_memory(double in_flight, Bytes memory) {
  LevelSum& sum = at(level_of(in_flight));
  sum.memory += mebibytes_of(memory);
  sum.memory_seconds += 1;
}

void LevelTable::add(double in_flight, const metrics::ReplicaReading& reading, Belongs belongs) {
  if (!(in_flight >= 0) || !std::isfinite(in_flight)) return;
  LevelSum& sum = at(level_of(in_flight));
  sum.seconds += 1;
  sum.in_flight += in_flight;
  sum.completed += static_cast<double>(reading.completed);
  sum.errors += static_cast<double>(reading.errors);
  if (reading.cpu) {
    sum.cpu += to_seconds(*reading.cpu);
    sum.cpu_seconds += 1;
  }
  if (belongs.times) sum.times.add(reading.times);
  if (belongs.memory && reading.memory) add_memory(in_flight, *reading.memory);
}

void LevelTable::add(const LevelTable& other) {
  for (const LevelSum& sum : other.levels_) at(sum.level).add(sum);
}

void LevelTable::scale(double factor) {
  std::erase_if(levels_, [&](LevelSum& sum) { return !sum.scale(factor); });
}

double LevelTable::seconds() const {
  double sum = 0;
  for (const LevelSum& level : levels_) sum += level.seconds;
  return sum;
}

double LevelTable::reach(double seconds) const {
  double above = 0;
  for (auto it = levels_.rbegin(); it != levels_.rend(); ++it) {
    above += it->seconds;
    if (above >= seconds) return it->mean_in_flight();
  }
  return 0;
}

}  // namespace bellows::autoscaler::slow
