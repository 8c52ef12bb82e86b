// CPU and memory that each replica of a service should have, and who decides about them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.hpp"

namespace bellows::config {

template <class T>
class Schema;

/// How far a recommendation goes into effect; each mode does what the one before it does, and more.
enum class ResourcesMode : std::uint8_t {
  kOff,      ///< nothing is measured
  kAdvise,   ///< shown in status and metrics; needs no rights
  kInitial,  ///< a replica that starts gets the size recommended by then
  kAuto,     ///< running replicas are resized in place too
};
std::string_view to_string(ResourcesMode mode);

/// Declared in resources_settings.cpp. Part of RevisionSettings.
struct ResourcesSettings {
  ResourcesMode mode = ResourcesMode::kOff;
  std::optional<Millicores> cpu;  ///< the first request; unset: CPU is advice only
  std::optional<Bytes> memory;    ///< the first request; unset: memory is advice only

  bool operator==(const ResourcesSettings&) const = default;
};

const Schema<ResourcesSettings>& resources_schema();

}  // namespace bellows::config
