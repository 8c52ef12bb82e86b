// Flags of `bellows inject` and `bellows uninject`.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "config/schema.hpp"
#include "injector/core/plan.hpp"

namespace bellows::cli {

/// auto: decided by the cluster that --context or --kubeconfig names; false without one.
enum class NativeSidecar : std::uint8_t { kAuto, kTrue, kFalse };
enum class ServiceChange : std::uint8_t { kChange, kKeep };

struct InjectSettings {
  std::string image;
  std::string image_file;
  std::string autoscaler = "ws://bellows-autoscaler.bellows-system:8080";
  std::string port;
  std::string only;
  std::string selector;
  std::string requests;
  std::string limits;
  NativeSidecar native_sidecar = NativeSidecar::kAuto;
  ServiceChange services = ServiceChange::kChange;
  std::string context;
  std::string kubeconfig;
  bool diff = false;
  bool dry_run = false;
  bool keep_going = false;

  /// `is_native`: see native_sidecar.hpp. Reads the file of the image.
  Result<injector::InjectOptions> options(bool is_native) const;
};

const config::Schema<InjectSettings>& inject_schema();
const config::Schema<InjectSettings>& uninject_schema();

/// Returns the variables that `inject` reads: only those of the image, because Kubernetes itself
/// sets BELLOWS_PORT in pods beside a Service of that name.
config::Layer image_variables(const config::Environment& environment);

}  // namespace bellows::cli
