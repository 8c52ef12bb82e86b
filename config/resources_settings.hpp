// CPU and memory of the replicas of a service, and what decides them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.hpp"

namespace bellows::config {

template <class T>
class Schema;

/// What is done with a recommendation. Each mode includes the one before it.
enum class ResourcesMode : std::uint8_t {
  kOff,      ///< nothing is measured
  kAdvise,   ///< shown in status and metrics; needs no permissions
  kInitial,  ///< a new replica gets the recommended size
  kAuto,     ///< running replicas are resized in place too
};
std::string_view to_string(ResourcesMode mode);

/// Declared in resources_settings.cpp. Part of RevisionSettings.
struct ResourcesSettings {
  ResourcesMode mode = ResourcesMode::kOff;
  std::optional<Millicores> cpu;             ///< initial request; unset: CPU is advice only
  std::optional<Bytes> memory;               ///< initial request; unset: memory is advice only
  std::optional<Millicores> cpu_limit = {};  ///< hard; unset: none
  std::optional<Bytes> memory_limit = {};    ///< hard; unset: none

  bool operator==(const ResourcesSettings&) const = default;
};

const Schema<ResourcesSettings>& resources_schema();

}  // namespace bellows::config
