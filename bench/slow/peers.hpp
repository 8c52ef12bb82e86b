// What other ways to find a concurrency would do, in the same simulation: the limit that they find
// becomes the target of the same decider, so that only the number differs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/scaler.hpp"

namespace bellows::slow_table {

/// Envoy's gradient controller (gradient_controller.cc), with the defaults of its documentation:
/// the minimum round-trip time over 50 requests with the limit at 3, again each minute. Formulas
/// and defaults: the reference on adaptive concurrency in the project's shared notes.
class EnvoyGradient {
 public:
  /// The median of a second's requests of a replica, and how many they were.
  double update(double sample, double in_flight, double now);
  double limit() const { return limit_; }

 private:
  double limit_ = 3;
  double minimum_ = 0;
  double measured_at_ = -1e9;
  bool is_measuring_ = true;
  double lowest_ = 1e9;
  double seen_ = 0;
};

/// Netflix's Gradient2Limit (concurrency-limits), one sample per second: its windowed wrapper.
class Gradient2 {
 public:
  double update(double sample, double in_flight, double now);
  double limit() const { return limit_; }

 private:
  double limit_ = 20;
  double long_ = 0;
  double samples_ = 0;
};

/// One controller for all replicas, fed with each replica's seconds; the mean of what they find.
template <class Limit>
class LimitScaler final : public simulator::DecidingScaler {
 public:
  explicit LimitScaler(const config::RevisionSettings& settings) : DecidingScaler(settings) {}

  bool accept(const metrics::Stat& stat, TimePoint now) override {
    if (stat.reading) update(stat, now);
    return DecidingScaler::accept(stat, now);
  }
  using DecidingScaler::accept;

 private:
  void update(const metrics::Stat& stat, TimePoint now);
  std::map<std::string, Limit> limits_;
};

/// Kubernetes' HPA on CPU at 60 %: every 15 s, a tolerance of 10 %, the highest of the last 5
/// minutes on the way down.
class HpaScaler final : public simulator::DecidingScaler {
 public:
  explicit HpaScaler(const config::RevisionSettings& settings) : DecidingScaler(settings) {}

  bool accept(const metrics::Stat& stat, TimePoint now) override;
  using DecidingScaler::accept;
  simulator::Verdict evaluate(const simulator::FleetCounts& fleet, TimePoint now) override;

 private:
  std::map<std::string, double> used_;  // share of the CPU limit, by replica
  std::map<std::string, TimePoint> seen_;
  std::vector<std::pair<TimePoint, PodCount>> recommended_;
  TimePoint next_;
  PodCount desired_ = 1;
};

}  // namespace bellows::slow_table
