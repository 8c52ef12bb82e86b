// The wanted EndpointSlice of ours, and its JSON. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "cluster/core/path.hpp"
#include "cluster/kubernetes/core/activator_list.hpp"
#include "cluster/kubernetes/core/revision_object.hpp"
#include "kubernetes/core/endpoint_slice.hpp"
#include "kubernetes/core/service.hpp"

namespace bellows::cluster {

/// The features of the server.
struct SliceFeatures {
  bool is_v1 = true;         ///< else v1beta1: node and zone are in the topology
  bool has_serving = false;  ///< endpoints have the conditions serving and terminating
};

struct SliceSubject {
  std::string revision;  ///< its name; the namespace is the Service's
  std::string target;    ///< "apps/v1 Deployment web"
  PodCount replicas_before = 0;
  const kubernetes::Service* service = nullptr;
  kubernetes::ServicePort port;  ///< of the Service
  std::uint16_t number = 0;      ///< the activators' port for the Revision
  bool has_pods = false;         ///< the endpoints are pods, at `pod_port`
  std::uint16_t pod_port = 0;
  std::string address_type;
  std::string crd_uid;  ///< of the owner; empty: the Service is the owner
};

std::string slice_name(const std::string& service);
/// Returns the activators' port for the Revision in a slice of ours; 0: none.
std::uint16_t activator_port_of(const kubernetes::EndpointSlice& slice);

/// Returns the target of the Revision that a slice of ours names; nullopt: it names none.
std::optional<TargetRef> target_of(const kubernetes::EndpointSlice& slice);

/// Returns one activator as an endpoint; `ns`: of its pod. `is_last_resort`: nodes use it exactly
/// while no other endpoint is ready (kube-proxy from 1.26 on, OVN-Kubernetes, Cilium).
kubernetes::SliceEndpoint activator_endpoint(const Activator& activator, const std::string& ns,
                                             bool is_last_resort);

/// Adds hints, if all ready endpoints of `others` have them: one endpoint without a hint would turn
/// zone-aware routing off for the whole Service. Zones without an endpoint of ours share all of
/// them.
void add_hints(std::vector<kubernetes::SliceEndpoint>& endpoints,
               const std::vector<const kubernetes::EndpointSlice*>& others);

/// Returns the endpoints of a slice of ours without the activator `self`. If it is the last one
/// that takes requests there and no replica is ready (`has_replica`), all other ready activators
/// take its place. nullopt: it is not in the slice, or it stays because there is no other.
std::optional<std::vector<kubernetes::SliceEndpoint>> without_activator(
    const kubernetes::EndpointSlice& slice, const PodName& self, const ActivatorList& activators,
    bool has_replica);

/// Returns the endpoints of a slice of ours without activators whose pod is gone, which nobody has
/// taken out while the autoscaler is away. If no ready activator is left in it, all ready ones come
/// in, in the same way: for requests, or as the last resort. nullopt: none is gone, or there is no
/// activator to come in.
std::optional<std::vector<kubernetes::SliceEndpoint>> without_gone(
    const kubernetes::EndpointSlice& slice, const ActivatorList& activators);

/// Returns the whole slice, without uid and resource version.
kubernetes::EndpointSlice wanted_slice(const SliceSubject& subject,
                                       std::vector<kubernetes::SliceEndpoint> endpoints);

/// Returns true if the server's slice has everything that `wanted` has.
bool is_as_wanted(const kubernetes::EndpointSlice& listed, const kubernetes::EndpointSlice& wanted,
                  SliceFeatures features);

/// Returns the body of a POST, or with `resource_version` of a PUT.
std::string slice_json(const kubernetes::EndpointSlice& slice, SliceFeatures features,
                       const std::string& resource_version = {});

}  // namespace bellows::cluster
