// Decides CPU and memory of the queue-proxy's container, and reports what they change for its pod.
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

/// The valid texts of read_amounts(), for messages.
inline constexpr std::string_view kWantAmounts =
    "amounts above 0: cpu=AMOUNT, memory=AMOUNT or both, as in cpu=25m,memory=16Mi";

/// Reads "cpu=25m,memory=16Mi", as `kubectl set resources` does; either may be missing.
Result<Amounts> read_amounts(std::string_view text);

/// Returns each amount from the annotation of `workload`, else from `flags`, else its default:
/// requests that carry a thousand requests a second, and a memory limit above `queue_bytes`. A
/// default request is never above a limit. Errors name the annotation or the flag: a request above
/// its limit, a memory limit that is too small to run in.
Result<SidecarResources> sidecar_resources(const Resource& workload, const SidecarResources& flags,
                                           Bytes queue_bytes);

/// Returns the lines to write if a container with these resources changes the class of service of
/// the pod, or breaks a quota on CPU limits among `quotas`, those of its namespace.
std::vector<std::string> resource_warnings(const Resource& workload,
                                           const SidecarResources& sidecar,
                                           const std::vector<const Resource*>& quotas);

}  // namespace bellows::injector
