#include "cluster/kubernetes/core/pod_usage.hpp"

#include <cstdint>
#include <string_view>

#include "cluster/kubernetes/core/names.hpp"
#include "kubernetes/core/quantity.hpp"

namespace bellows::cluster {

namespace {

/// The sum of the requests of one resource; nullopt once a container has none, or one that is no
/// quantity, which the API server does not accept.
using Sum = std::optional<std::int64_t>;

void add(Sum& milli, std::string_view request) {
  const auto quantity = kubernetes::Quantity::parse(request);
  milli = milli && quantity ? Sum(*milli + quantity->milli()) : std::nullopt;
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
  Sum cpu = 0;
  Sum memory = 0;
  for (const kubernetes::Container& container : pod.containers) {
    if (container.name == kQueueProxyContainer) continue;
    add(cpu, container.requests.get("cpu"));
    add(memory, container.requests.get("memory"));
  }
  ReplicaSize size;
  if (cpu.value_or(0) != 0) size.cpu = Millicores{*cpu};
  if (memory.value_or(0) != 0) {
    size.memory = Bytes{kubernetes::Quantity::from_milli(*memory).units()};
  }
  return size;
}

}  // namespace bellows::cluster
