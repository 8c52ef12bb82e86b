// discovery.k8s.io EndpointSlice, v1 and v1beta1.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/object_meta.hpp"

namespace bellows::kubernetes {

/// Label with the Service of a slice.
inline constexpr std::string_view kServiceNameLabel = "kubernetes.io/service-name";
/// Label with the manager of a slice; the controller of the control plane changes only slices that
/// name it.
inline constexpr std::string_view kSliceManagedByLabel = "endpointslice.kubernetes.io/managed-by";
/// Key in the topology of v1beta1.
inline constexpr std::string_view kHostnameKey = "kubernetes.io/hostname";
inline constexpr std::string_view kZoneKey = "topology.kubernetes.io/zone";

struct SliceEndpoint {
  std::vector<std::string> addresses;  ///< of one endpoint; everybody uses the first one
  bool ready = true;                   ///< true if unset
  bool serving = true;  ///< ready, even if it terminates; equals `ready` on old servers
  bool terminating = false;
  std::string target_kind;  ///< "Pod"; empty: unset
  std::string target_name;
  std::string target_namespace;
  std::string node_name;
  std::string zone;                     ///< empty: unset
  std::vector<std::string> hint_zones;  ///< zones whose callers should use it; empty: no hint
  bool operator==(const SliceEndpoint&) const = default;
};

struct EndpointPort {
  std::string name;
  std::uint16_t port = 0;  ///< 0: all ports
  std::string protocol;
  std::string app_protocol;
  bool operator==(const EndpointPort&) const = default;
};

struct EndpointSlice {
  ObjectMeta meta;
  std::string address_type;  ///< "IPv4", "IPv6", "FQDN"
  std::vector<SliceEndpoint> endpoints;
  std::vector<EndpointPort> ports;

  /// Returns the Service that it belongs to; empty: none.
  std::string_view service() const { return meta.labels.get(kServiceNameLabel); }
  bool operator==(const EndpointSlice&) const = default;

  static const FieldSet& fields();
  static Result<EndpointSlice> from(const boost::json::object& pruned);
};

}  // namespace bellows::kubernetes
