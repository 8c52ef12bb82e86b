// Flags of `bellows inject` and `bellows uninject`.
#pragma once

#include <cstdint>
#include <string>

#include "config/schema.hpp"
#include "injector/core/plan.hpp"

namespace bellows::cli {

/// auto: as the cluster says that --context or --kubeconfig names; false without one.
enum class NativeSidecar : std::uint8_t { kAuto, kTrue, kFalse };
enum class ServiceChange : std::uint8_t { kChange, kKeep };

struct InjectSettings {
  std::string image;
  std::string autoscaler = "ws://bellows-autoscaler.bellows-system:8080";
  std::string port;
  NativeSidecar native_sidecar = NativeSidecar::kAuto;
  ServiceChange services = ServiceChange::kChange;
  std::string context;
  std::string kubeconfig;
  bool diff = false;
  bool dry_run = false;

  /// `is_native`: see native_sidecar.hpp.
  injector::InjectOptions options(bool is_native) const;
};

const config::Schema<InjectSettings>& inject_schema();
const config::Schema<InjectSettings>& uninject_schema();

}  // namespace bellows::cli
