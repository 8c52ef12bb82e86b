// CPU and memory of the replicas of a service, and their source.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.hpp"

namespace bellows::config {

template <class T>
class Schema;

/// The use of a recommendation. Each mode includes the one before it.
enum class ResourcesMode : std::uint8_t {
  kOff,      ///< nothing is measured
  kAdvise,   ///< only status and metrics show it; needs no permissions
  kInitial,  ///< a new replica gets the recommended size
  kAuto,     ///< running replicas are resized in place too
};
std::string_view to_string(ResourcesMode mode);

/// The policy of the recommender that sizes the replicas.
enum class ResourcesPolicy : std::uint8_t {
  kDefault,  ///< recommender-policy, the one of the program
  kVpa,
  kSpike,
  kHybrid,
};

/// The resources whose sizes are recommended; the others keep their first request. VPA's
/// controlledResources.
enum class ControlledResources : std::uint8_t { kCpuAndMemory, kCpu, kMemory };

/// The values that a recommendation sets. VPA's controlledValues.
enum class ControlledValues : std::uint8_t {
  kRequestsAndLimits,  ///< the requests, and the upper bound as hard limit of the memory
  kRequestsOnly,       ///< no hard limit
};

/// Part of RevisionSettings.
struct ResourcesSettings {
  ResourcesMode mode = ResourcesMode::kOff;
  std::optional<Millicores> cpu;             ///< initial request; unset: CPU is advice only
  std::optional<Bytes> memory;               ///< initial request; unset: memory is advice only
  std::optional<Millicores> cpu_limit = {};  ///< hard; unset: none
  std::optional<Bytes> memory_limit = {};    ///< hard; unset: none

  // The policy for this service, in force from its next recommendation on.
  ResourcesPolicy policy = ResourcesPolicy::kDefault;
  std::optional<Millicores> min_allowed_cpu = {};  ///< no recommendation is below it; unset: none
  std::optional<Bytes> min_allowed_memory = {};
  /// No recommendation is above it. Unset: no limit.
  std::optional<Millicores> max_allowed_cpu = {};
  std::optional<Bytes> max_allowed_memory = {};  ///< the same
  ControlledResources controlled_resources = ControlledResources::kCpuAndMemory;
  ControlledValues controlled_values = ControlledValues::kRequestsAndLimits;

  bool operator==(const ResourcesSettings&) const = default;
};

const Schema<ResourcesSettings>& resources_schema();

}  // namespace bellows::config
