#include "recommender/service/cluster_source.hpp"

#include <algorithm>

namespace bellows::recommender {

ClusterSource::ClusterSource(const sys::Clock& clock, Duration period, std::function<void()> urgent)
    : period_(period),
      urgent_(std::move(urgent)),
      start_(clock.now()),
      wall_start_(clock.wall_now()) {}

WallTime ClusterSource::wall(TimePoint at) const {
  return wall_start_ + (at - start_);
}

http::Awaitable<Result<std::vector<Observation>>> ClusterSource::read(WallTime) {
  co_return std::exchange(pending_, {});
}

void ClusterSource::on_usage(const cluster::AppUsage& usage) {
  const Key key{usage.revision, usage.replica};
  const auto [place, is_new] = running_.try_emplace(key);
  Running& running = place->second;
  if (is_new) running.since = usage.at - usage.over;
  running.last = usage.at;
  running.newest_memory = usage.memory;
  running.memory = std::max(running.memory, static_cast<double>(usage.memory.value));
  running.core_seconds += usage.cores * to_seconds(usage.over);
  running.seconds += to_seconds(usage.over);
  if (usage.at - running.since < period_) return;
  emit(key, running);
  running = Running{.since = usage.at, .last = usage.at, .newest_memory = usage.memory};
}

std::optional<Bytes> ClusterSource::memory_use(const RevisionId& workload,
                                               const PodName& replica) const {
  const auto place = running_.find({workload, replica});
  if (place == running_.end()) return std::nullopt;
  return place->second.newest_memory;
}

void ClusterSource::emit(const Key& key, const Running& running) {
  const WallTime at = wall(running.last);
  if (running.memory > 0) add(key, running.last, Usage{at, Resource::kMemory, running.memory});
  if (running.seconds > 0) {
    add(key, running.last, Usage{at, Resource::kCpu, running.core_seconds / running.seconds});
  }
}

void ClusterSource::on_event(const cluster::AppEvent& event) {
  using What = cluster::AppEvent::What;
  const Key key{event.revision, event.replica};
  if (const auto place = running_.find(key); place != running_.end()) {
    emit(key, place->second);
    running_.erase(place);
  }
  const WallTime at = wall(event.at);
  switch (event.what) {
    case What::kStarted:
      return add(key, event.at, Event{at, Started{}});
    case What::kCrashed:
      add(key, event.at, Event{at, Crashed{}});
      break;
    case What::kOomKilled:
      // It used its whole limit, which no periodic reading shows.
      if (event.memory.value > 0) {
        add(key, event.at, Usage{at, Resource::kMemory, static_cast<double>(event.memory.value)});
      }
      add(key, event.at, Event{at, OomKilled{event.request}});
      break;
    case What::kCrashLoop:
      add(key, event.at, Event{at, CrashLoop{true}});
      break;
    case What::kCrashLoopOver:
      return add(key, event.at, Event{at, CrashLoop{false}});
    case What::kGone:
      return add(key, event.at, Gone{});
  }
  urgent_();
}

void ClusterSource::add(const Key& key, TimePoint at, decltype(Observation::what) what) {
  pending_.push_back({key.first, key.second, kApp, wall(at), std::move(what)});
}

}  // namespace bellows::recommender
