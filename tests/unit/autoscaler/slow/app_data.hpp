// Readings of an app whose law is known, with noise.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "autoscaler/slow/interval.hpp"
#include "base/random.hpp"
#include "metrics/replica_reading.hpp"

namespace bellows::autoscaler::slow {

inline Duration seconds_of(double seconds) {
  return Duration(static_cast<Duration::rep>(seconds * 1e9));
}

inline double normal(SeededRandom& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.fraction();
  return sum;
}

/// An app by what a request and a second of it do at n requests in flight.
struct KnownApp {
  std::function<double(double)> time = [](double) { return 0.1; };  ///< seconds, the median
  double spread = 0.3;  ///< standard deviation of the logarithm of a time
  std::function<double(double)> cores = {};
  double cpu_limit = 0;
  std::function<double(double)> memory = {};  ///< MiB
  double memory_limit = 0;

  metrics::ReplicaReading second(double n, SeededRandom& random) const {
    metrics::ReplicaReading reading;
    metrics::ServiceTimeCounts counts{};
    const double time_here = time(n);
    const auto requests = static_cast<std::uint64_t>(
        std::max(0.0, std::round(n / time_here * (1 + 0.1 * normal(random)))));
    for (std::uint64_t i = 0; i < requests; ++i) {
      const double seconds = time_here * std::exp(spread * normal(random));
      ++counts[metrics::service_time_bucket(seconds_of(seconds))];
    }
    reading.completed = requests;
    reading.times = metrics::ServiceTimes(counts);
    if (cores) {
      reading.cpu = seconds_of(std::max(0.0, cores(n) * (1 + 0.05 * normal(random))));
      reading.cpu_limit = Millicores{static_cast<std::int64_t>(1000 * cpu_limit)};
    }
    if (memory) {
      const double mib = memory(n) * (1 + 0.01 * normal(random));
      reading.memory = Bytes{static_cast<std::int64_t>(mib * 1024 * 1024)};
      reading.memory_limit = mebibytes(static_cast<std::int64_t>(memory_limit));
    }
    return reading;
  }
};

/// `seconds` seconds of a replica with from `low` to `high` requests in flight.
inline LevelTable table_of(const KnownApp& app, double low, double high, int seconds,
                           std::uint64_t seed = 1) {
  SeededRandom random(seed);
  LevelTable table;
  for (int i = 0; i < seconds; ++i) {
    const double n = low * std::pow(high / low, random.fraction());
    table.add(n, app.second(n, random));
  }
  return table;
}

}  // namespace bellows::autoscaler::slow
