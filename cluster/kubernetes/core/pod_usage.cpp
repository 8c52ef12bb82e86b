#include "cluster/kubernetes/core/pod_usage.hpp"

#include <cstdint>
#include <string_view>

#include "cluster/kubernetes/core/names.hpp"
#include "kubernetes/core/quantity.hpp"

namespace bellows::cluster {

namespace {

/// Returns nullopt if a container has no request, or one that is no quantity, which the API server
/// does not accept.
std::optional<kubernetes::Quantity> request_of(const kubernetes::Pod& pod,
                                               std::string_view resource) {
  std::int64_t milli = 0;
  for (const kubernetes::Container& container : pod.containers) {
    if (container.name == kQueueProxyContainer) continue;
    const auto quantity = kubernetes::Quantity::parse(container.requests.get(resource));
    if (!quantity) return std::nullopt;
    milli += quantity->milli();
  }
  if (milli == 0) return std::nullopt;
  return kubernetes::Quantity::from_milli(milli);
}

}  // namespace

std::optional<Usage> usage_of(const kubernetes::PodMetrics& measured, WallTime now) {
  if (std::chrono::abs(now - measured.measured) > kUsageAge) return std::nullopt;
  std::optional<Usage> sum;
  for (const kubernetes::ContainerMetrics& container : measured.containers) {
    if (container.name == kQueueProxyContainer) continue;
    if (!sum) sum.emplace();
    sum->cpu = sum->cpu + container.cpu;
    sum->memory = sum->memory + container.memory;
  }
  return sum;
}

ReplicaSize requests_of(const kubernetes::Pod& pod) {
  ReplicaSize size;
  if (const auto cpu = request_of(pod, "cpu")) size.cpu = Millicores{cpu->milli()};
  if (const auto memory = request_of(pod, "memory")) size.memory = Bytes{memory->units()};
  return size;
}

}  // namespace bellows::cluster
