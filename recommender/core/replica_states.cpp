#include "recommender/core/replica_states.hpp"

#include <algorithm>
#include <cmath>

#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/saved.hpp"

namespace bellows::recommender {

void ReplicaStates::add_instance(InstanceId instance) {
  if (instance.index >= latest_.size()) latest_.resize(instance.index + 1);
  latest_[instance.index] = {};
}

void ReplicaStates::record_usage(InstanceId instance, Resource resource, double amount,
                                 WallTime at) {
  Latest& latest = latest_[instance.index];
  double& last = latest.amounts[index_of(resource)];
  // The highest sample of one time counts, in any order.
  last = at == latest.times[index_of(resource)] ? std::max(last, amount) : amount;
  latest.times[index_of(resource)] = at;
}

void ReplicaStates::set_crash_loop(InstanceId instance, bool is_looping) {
  latest_[instance.index].is_looping = is_looping;
}

void ReplicaStates::record_restart(InstanceId instance) {
  latest_[instance.index].is_restart = true;
}

std::optional<double> ReplicaStates::max_usage(const InstanceRegistry& registry,
                                               std::uint32_t container, Resource resource,
                                               WallTime oldest,
                                               std::optional<WallTime> started_before) const {
  std::optional<double> highest;
  for (const InstanceId instance : registry.containers()[container].instances) {
    const Latest& latest = latest_[instance.index];
    if (latest.times[index_of(resource)] < oldest) continue;
    if (started_before && registry.at(instance).started >= *started_before) continue;
    highest = std::max(highest.value_or(0), latest.amounts[index_of(resource)]);
  }
  return highest;
}

int ReplicaStates::count_crash_looping(const InstanceRegistry& registry,
                                       std::uint32_t container) const {
  const auto& instances = registry.containers()[container].instances;
  return static_cast<int>(
      std::count_if(instances.begin(), instances.end(),
                    [this](InstanceId instance) { return latest_[instance.index].is_looping; }));
}

void ReplicaStates::save(InstanceId instance, json::Writer& line) const {
  const Latest& latest = latest_[instance.index];
  line.open("now").number("cpu-millicores", latest.amounts[0]);
  saved::write(line, "cpu-at", latest.times[0]);
  line.number("memory-bytes", latest.amounts[1]);
  saved::write(line, "memory-at", latest.times[1]);
  line.flag("crash-loop", latest.is_looping).flag("restart", latest.is_restart).close();
}

Result<void> ReplicaStates::restore(InstanceId instance, const json::Object& saved) {
  BELLOWS_TRY(const auto now, saved.object("now"));
  Latest latest;
  BELLOWS_TRY(latest.amounts[0], now.number("cpu-millicores", {.min = 0}));
  BELLOWS_TRY(latest.times[0], saved::read_time(now, "cpu-at"));
  BELLOWS_TRY(latest.amounts[1], now.number("memory-bytes", {.min = 0}));
  BELLOWS_TRY(latest.times[1], saved::read_time(now, "memory-at"));
  BELLOWS_TRY(latest.is_looping, now.flag("crash-loop"));
  BELLOWS_TRY(latest.is_restart, now.flag("restart"));
  latest_[instance.index] = latest;
  return {};
}

double request_of(const InstanceRegistry& registry, std::uint32_t container, Resource resource) {
  std::int64_t highest = 0;
  for (const InstanceId instance : registry.containers()[container].instances) {
    const Request& request = registry.at(instance).request;
    highest =
        std::max(highest, resource == Resource::kCpu ? request.cpu.value : request.memory.value);
  }
  return static_cast<double>(highest);
}

bool has_starting(const InstanceRegistry& registry, std::uint32_t container, WallTime now,
                  Duration duration) {
  const auto& instances = registry.containers()[container].instances;
  return std::any_of(instances.begin(), instances.end(), [&](InstanceId instance) {
    return now - registry.at(instance).started < duration;
  });
}

}  // namespace bellows::recommender
