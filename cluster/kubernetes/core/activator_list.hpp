// The activators of a cluster: the endpoints of their Service. Pure.
#pragma once

#include <string>
#include <vector>

#include "cluster/core/path.hpp"
#include "cluster/kubernetes/core/service_slices.hpp"

namespace bellows::cluster {

/// Addresses of one family, because a slice has only one.
struct ActivatorList {
  std::string ns;  ///< of their pods
  std::string address_type = "IPv4";
  std::vector<Activator> activators;  ///< by name

  /// Returns nullptr if there is none.
  const Activator* find(const PodName& name) const;
  bool operator==(const ActivatorList&) const = default;
};

/// Returns the activators. Each endpoint is a pod with its node and zone, so slices are all that is
/// read. IPv6 counts if there is no IPv4 endpoint. `slices`: of the activators' Service.
ActivatorList activators_in(const ServiceSlices::ByName& slices);

}  // namespace bellows::cluster
