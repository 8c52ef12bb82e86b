// The parts of Services that determine the path of requests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "injector/core/resource.hpp"

namespace bellows::injector {

struct ServicePort {
  std::size_t index = 0;  ///< index among the ports of its Service
  std::int64_t port = 0;
  std::string name = {};
  std::string app_protocol = {};  ///< empty: it is not set
  /// A name; empty: `number` is used.
  std::string target_name = {};
  std::int64_t number = 0;
  bool has_target = false;  ///< targetPort is set; otherwise it is `port`
};

/// A Service with a selector that has TCP ports.
struct Service {
  Resource resource;
  const Node* selector = nullptr;
  bool is_headless = false;  ///< callers resolve the pods' addresses and choose a port themselves
  std::vector<ServicePort> ports = {};
};

/// Returns nullopt if it is no Service, or has no selector (ExternalName, or endpoints made
/// elsewhere).
std::optional<Service> read_service(const Resource& resource);

/// Returns true if it is in the namespace of `workload` and selects its pods.
bool selects_pods_of(const Service& service, const Resource& workload);

}  // namespace bellows::injector
