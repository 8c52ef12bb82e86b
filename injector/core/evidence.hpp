// Finds out what a port of a pod speaks, from everything that manifests say about it.
#pragma once

#include <string>
#include <vector>

#include "injector/core/app_port.hpp"
#include "injector/core/protocol.hpp"
#include "injector/core/service.hpp"

namespace bellows::injector {

struct Evidence {
  Protocol protocol = Protocol::kUnknown;
  std::string source = {};  ///< "its name", "appProtocol mongo of service/shop"; empty: none
  bool is_said = false;     ///< in words, by an appProtocol or a name
  bool is_probe = false;
};

/// Returns the first of these that indicates a protocol: the appProtocol of a Service that leads to
/// the port, a name of the port or of such a port of a Service, an HTTP or gRPC probe, its number,
/// the number of the Service's port, the image. A name that says "no HTTP" counts before one that
/// says HTTP. TLS by the name of a Service's port alone counts after a probe: it may end before the
/// pod.
Evidence evidence_of(const AppPort& port, const Node& pod_spec,
                     const std::vector<Service>& services);

/// Returns true if the port is for metrics, health or administration by its name, or, if that says
/// nothing, by the name of every port of a Service that leads to it.
bool is_for_management(const AppPort& port, const std::vector<Service>& services);

}  // namespace bellows::injector
