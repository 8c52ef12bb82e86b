// What the queue-proxies of injected pods are like: flags of `bellows inject` and `injector serve`.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "config/schema.hpp"
#include "injector/core/plan.hpp"

namespace bellows::injector {

/// auto: decided by the version of the cluster.
enum class NativeSidecar : std::uint8_t { kAuto, kTrue, kFalse };

struct PodSettings {
  std::string image;
  std::string image_file;
  std::string autoscaler = "ws://bellows-autoscaler.bellows-system:8080";
  std::string requests;
  std::string limits;
  NativeSidecar native_sidecar = NativeSidecar::kAuto;
  std::string context;
  std::string kubeconfig;

  /// `is_native`: what native_sidecar means. Reads the file of the image.
  Result<InjectOptions> options(bool is_native) const;
};

const config::Schema<PodSettings>& pod_schema();

}  // namespace bellows::injector
