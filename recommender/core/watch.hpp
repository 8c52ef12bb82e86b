// What replicas do at this moment: their latest usage, and whether they are in a crash loop.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "recommender/core/roster.hpp"
#include "recommender/core/sample.hpp"

namespace bellows::json {
class Writer;
class Object;
}  // namespace bellows::json

namespace bellows::recommender {

/// Owner: a policy. Instances are those of its roster.
class Watch {
 public:
  void add_instance(InstanceId instance);
  void take(InstanceId instance, Resource resource, double amount, WallTime at);
  void set_looping(InstanceId instance, bool is_looping);
  void killed_for_memory(InstanceId instance, WallTime at);
  /// A new life in the same place: its usage is no start of a replica.
  void restarted(InstanceId instance);

  /// Whether what happened at `at` is the death that killed_for_memory() told of.
  bool is_memory_death(InstanceId instance, WallTime at) const;
  bool is_restart(InstanceId instance) const { return latest_[instance.index].is_restart; }

  /// The highest of the replicas' latest usages that are younger than `oldest`; nothing: none is.
  /// Only of replicas that started before `started_before`, if that is given.
  std::optional<double> highest(const Roster& roster, std::uint32_t container, Resource resource,
                                WallTime oldest, std::optional<WallTime> started_before = {}) const;
  int looping(const Roster& roster, std::uint32_t container) const;

  void save(InstanceId instance, json::Writer& line) const;
  Result<void> restore(InstanceId instance, const json::Object& saved);

 private:
  struct Latest {
    std::array<double, 2> amounts{};  // by resource
    std::array<WallTime, 2> times{WallTime::min(), WallTime::min()};
    bool is_looping = false;
    bool is_restart = false;
    WallTime killed = WallTime::min();
  };
  std::vector<Latest> latest_;  // by instance
};

/// The highest request of the replicas: millicores or bytes, 0 if there is none.
double request_of(const Roster& roster, std::uint32_t container, Resource resource);
/// Whether a replica started less than `duration` ago.
bool has_starting(const Roster& roster, std::uint32_t container, WallTime now, Duration duration);

}  // namespace bellows::recommender
