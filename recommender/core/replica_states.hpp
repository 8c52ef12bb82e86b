// The current state of replicas: their latest usage and crash loops.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "recommender/core/instance_registry.hpp"
#include "recommender/core/sample.hpp"

namespace bellows::json {
class Object;
class Writer;
}  // namespace bellows::json

namespace bellows::recommender {

/// Owner: a policy. Instances are those of its registry.
class ReplicaStates {
 public:
  void add_instance(InstanceId instance);
  void record_usage(InstanceId instance, Resource resource, double amount, WallTime at);
  void set_crash_loop(InstanceId instance, bool is_looping);
  /// Records a restart of the container, after which its usage is not that of a starting replica.
  void record_restart(InstanceId instance);

  bool has_restarted(InstanceId instance) const { return latest_[instance.index].is_restart; }

  /// Returns the highest of the replicas' latest usages since `oldest`; nullopt if there is none.
  /// With `started_before` it considers only replicas that started before that.
  std::optional<double> max_usage(const InstanceRegistry& registry, std::uint32_t container,
                                  Resource resource, WallTime oldest,
                                  std::optional<WallTime> started_before = {}) const;
  int count_crash_looping(const InstanceRegistry& registry, std::uint32_t container) const;

  void save(InstanceId instance, json::Writer& line) const;
  Result<void> restore(InstanceId instance, const json::Object& saved);

 private:
  struct Latest {
    std::array<double, 2> amounts{};  // by resource
    std::array<WallTime, 2> times{WallTime::min(), WallTime::min()};
    bool is_looping = false;
    bool is_restart = false;
  };
  std::vector<Latest> latest_;  // by instance
};

/// Returns the highest request of the replicas: millicores or bytes, 0 if there is none.
double request_of(const InstanceRegistry& registry, std::uint32_t container, Resource resource);
/// Returns true if a replica started less than `duration` ago.
bool has_starting(const InstanceRegistry& registry, std::uint32_t container, WallTime now,
                  Duration duration);

}  // namespace bellows::recommender
