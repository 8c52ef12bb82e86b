// Reads usage and events of the apps of a cluster's replicas.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/sys/clock.hpp"
#include "cluster/resources.hpp"
#include "recommender/service/usage_source.hpp"

namespace bellows::recommender {

/// The only container of a replica on one machine.
inline const ContainerName kApp{"app"};

/// A cluster reads every few seconds; the source emits one CPU mean and the maximum memory per
/// replica and `period`, so that samples are comparable with other sources. An event emits earlier
/// samples at once. Owner: the service. Thread: the io thread.
class ClusterSource final : public UsageSource, public cluster::ResourceListener {
 public:
  /// `urgent` is called after an event that must not wait for the next period: a crash, an OOM
  /// kill.
  ClusterSource(const sys::Clock& clock, Duration period, std::function<void()> urgent);

  std::string name() const override { return "this machine"; }
  http::Awaitable<Result<std::vector<Observation>>> read(WallTime now) override;

  /// Returns the newest reading of a running app; nullopt: unknown.
  std::optional<Bytes> memory_use(const RevisionId& workload, const PodName& replica) const;

  void on_usage(const cluster::AppUsage& usage) override;
  void on_event(const cluster::AppEvent& event) override;

 private:
  using Key = std::pair<RevisionId, PodName>;
  struct Running {
    TimePoint since;          // start of this period
    TimePoint last;           // last reading
    double core_seconds = 0;  // over `seconds`
    double seconds = 0;
    double memory = 0;  // maximum, bytes
    Bytes newest_memory{};
  };
  void emit(const Key& key, const Running& running);
  void add(const Key& key, TimePoint at, decltype(Observation::what) what);
  WallTime wall(TimePoint at) const;

  const Duration period_;
  const std::function<void()> urgent_;
  // The start on both clocks. The wall time of the start plus the monotonic clock is a wall clock
  // that never decreases.
  const TimePoint start_;
  const WallTime wall_start_;
  std::map<Key, Running> running_;
  std::vector<Observation> pending_;
};

}  // namespace bellows::recommender
