// Usage and events as a cluster tells them of its replicas' apps.
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

/// The one container of a replica on one machine.
inline const ContainerName kApp{"app"};

/// Owner: the service. Thread: the io thread. A cluster reads every few seconds; what is handed on
/// is one CPU mean and the greatest memory per replica and `period`, so that a recommendation rests
/// on the same kind of samples as elsewhere. An event hands on at once what was seen before it.
class ClusterSource final : public UsageSource, public cluster::ResourceListener {
 public:
  /// `urgent` is called after an event that should not wait for the next
  /// period: a crash, an OOM kill.
  ClusterSource(const sys::Clock& clock, Duration period, std::function<void()> urgent);

  std::string name() const override { return "this machine"; }
  http::Awaitable<Result<std::vector<Observation>>> read(WallTime now) override;

  /// The newest reading of an app that runs; nullopt: unknown.
  std::optional<Bytes> memory_use(const RevisionId& workload, const PodName& replica) const;

  void used(const cluster::AppUsage& usage) override;
  void happened(const cluster::AppEvent& event) override;

 private:
  using Key = std::pair<RevisionId, PodName>;
  struct Running {
    TimePoint since;          // of this period
    TimePoint last;           // reading
    double core_seconds = 0;  // over `seconds`
    double seconds = 0;
    double memory = 0;  // greatest, bytes
    Bytes newest_memory{};
  };
  void hand_on(const Key& key, const Running& running);
  void add(const Key& key, TimePoint at, decltype(Observation::what) what);
  WallTime wall(TimePoint at) const;

  const Duration period_;
  const std::function<void()> urgent_;
  // Wall time that never goes back while we run: the calendar as it was at the start, plus the
  // monotonic clock.
  const TimePoint start_;
  const WallTime wall_start_;
  std::map<Key, Running> running_;
  std::vector<Observation> seen_;
};

}  // namespace bellows::recommender
