// The parts in which policies differ, by role: bookkeeping, rule, checkpoint, explanation. A policy
// is all four; policy.hpp has the shared part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "recommender/core/recommendation.hpp"
#include "recommender/core/sample.hpp"

namespace bellows::json {
class Object;
class Writer;
}  // namespace bellows::json

namespace bellows::recommender {

/// Target and bounds of one resource before they are rounded and capped.
struct Estimate {
  std::int64_t target = 0;
  std::int64_t lower = 0;
  std::int64_t upper = 0;
};

/// Estimates of one container.
struct Estimates {
  std::optional<Estimate> cpu;  ///< nullopt: no recommendation
  std::optional<Estimate> memory;
  Reason cpu_reason;
  Reason memory_reason;
  WallTime since;
};

/// The need of a container under an earlier revision, or under another policy. Millicores and
/// bytes.
struct PriorTarget {
  std::optional<double> cpu;     ///< before rounding and capping; nullopt: unknown
  std::optional<double> memory;  ///< the same
  double killed = 0;  ///< memory at the last OOM kill for which the target is held; 0: none
};

/// The chains of the bounds of one resource.
struct BoundChains {
  Chain lower;
  Chain upper;
};

/// Stores what is reported. Containers and instances are known; amounts and times are checked.
class PolicyBookkeeping {
 public:
  virtual ~PolicyBookkeeping() = default;
  virtual void on_container(std::uint32_t container) = 0;
  virtual void on_instance(InstanceId instance, WallTime now) = 0;
  virtual void on_request(InstanceId instance, const Request& before, WallTime at) = 0;
  virtual void on_usage(InstanceId instance, const Usage& usage) = 0;
  /// Handles a second CPU sample of the same time. A histogram keeps the first, a maximum the
  /// higher one.
  virtual void on_duplicate(InstanceId /*instance*/, const Usage& /*usage*/) {}
  virtual Result<void> on_event(InstanceId instance, const Event& event) = 0;
};

/// Decides. It is not const, because a rule that fires once remembers that.
class PolicyRule {
 public:
  virtual ~PolicyRule() = default;
  virtual Estimates estimate(std::uint32_t container, WallTime now) = 0;
  /// Returns its current recommendation, for a policy without data about the container.
  virtual PriorTarget prior_target(std::uint32_t container, WallTime now) = 0;
  /// Begins with the target of another policy; it has had no sample of the container.
  virtual void begin_at(std::uint32_t container, const PriorTarget& prior, WallTime now) = 0;
  /// Returns true if the container gets no recommendation until it is seen again.
  virtual bool is_forgotten(std::uint32_t /*container*/) const { return false; }
  /// Discards containers without samples for as long as the policy remembers. A service calls it
  /// after each recommend(); a replay does not, so that its results are those of VPA's arithmetic
  /// alone.
  virtual void forget_stale(WallTime /*now*/) {}
};

/// Saves and restores, to the bit. A container is saved before its instances and restored after
/// them.
class PolicyCheckpoint {
 public:
  virtual ~PolicyCheckpoint() = default;
  virtual void save_container(std::uint32_t container, json::Writer& line) const = 0;
  virtual void save_instance(InstanceId instance, json::Writer& line) const = 0;
  virtual Result<void> restore_container(std::uint32_t container, const json::Object& saved) = 0;
  virtual Result<void> restore_instance(InstanceId instance, const json::Object& saved) = 0;
};

/// Describes the data about one resource, for `recommender explain`.
class PolicyExplanation {
 public:
  virtual ~PolicyExplanation() = default;
  /// Appends the lines; the first one names the resource.
  virtual void describe(std::uint32_t container, Resource resource,
                        std::vector<std::string>& lines) = 0;
  virtual BoundChains bound_chains(std::uint32_t container, Resource resource,
                                   const Estimate& estimate) = 0;
};

}  // namespace bellows::recommender
