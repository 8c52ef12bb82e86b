// core/v1 Service.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/object_meta.hpp"

namespace bellows::kubernetes {

struct ServicePort {
  std::string name;  ///< may be empty for a single port
  std::uint16_t port = 0;
  std::string target_port;   ///< a number or the name of a container's port; empty: equals `port`
  std::string protocol;      ///< "TCP", ...
  std::string app_protocol;  ///< "http", "kubernetes.io/h2c", ...; may be empty
  bool operator==(const ServicePort&) const = default;
};

struct Service {
  ObjectMeta meta;
  StringMap selector;  ///< empty: its endpoints are made elsewhere
  std::vector<ServicePort> ports;
  std::string type;                     ///< "ClusterIP", "NodePort", "LoadBalancer", "ExternalName"
  std::string cluster_ip;               ///< "None": headless
  std::string session_affinity;         ///< "None", "ClientIP"
  std::string internal_traffic_policy;  ///< "Cluster", "Local"; empty before 1.21
  std::string external_traffic_policy;  ///< "Cluster", "Local"; empty without outside clients
  bool operator==(const Service&) const = default;

  static const FieldSet& fields();
  static Result<Service> from(const boost::json::object& pruned);
};

}  // namespace bellows::kubernetes
