// CPU and memory of the queue-proxy's container, and what they mean for its pod.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "injector/core/resource.hpp"

namespace bellows::injector {

struct Amounts {
  std::optional<Millicores> cpu = {};
  std::optional<Bytes> memory = {};

  bool operator==(const Amounts&) const = default;
};

struct SidecarResources {
  Amounts requests = {};
  Amounts limits = {};
};

/// "cpu=25m,memory=16Mi", as `kubectl set resources` takes it; either may be missing.
Result<Amounts> read_amounts(std::string_view text);

/// For each amount: what the annotation of `workload` says, else `flags`, else the default:
/// requests that carry a thousand requests a second, and a memory limit above `queue_bytes`. A
/// default request is never above a limit. Errors name the annotation.
Result<SidecarResources> sidecar_resources(const Resource& workload, const SidecarResources& flags,
                                           Bytes queue_bytes);

/// What a user should write where the pod's class of service or a quota on CPU limits in
/// `resources`, the whole input, is lost or broken by a container with these resources.
std::vector<std::string> resource_warnings(const Resource& workload,
                                           const SidecarResources& sidecar,
                                           const std::vector<Resource>& resources);

}  // namespace bellows::injector
