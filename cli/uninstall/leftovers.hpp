// What Bellows has put into a cluster, read from lists of its API server. Pure: text in, data out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "cluster/kubernetes/core/pod_replica.hpp"
#include "cluster/kubernetes/core/revision_object.hpp"
#include "kubernetes/core/endpoint_slice.hpp"
#include "kubernetes/core/pod.hpp"
#include "kubernetes/core/service.hpp"

namespace bellows::cli {

/// A target that Bellows scales, and the number that it gets back if it is at zero.
struct ReleasedTarget {
  std::string ns;
  cluster::TargetRef target;
  PodCount replicas = 1;
  bool has_number = true;  ///< false: that before Bellows is 0 or unknown, so it gets one
  bool operator==(const ReleasedTarget&) const = default;
};

/// Returns "Deployment shop/web".
std::string to_string(const ReleasedTarget& target);

Result<std::vector<cluster::RevisionObject>> read_revision_list(std::string_view body);
Result<std::vector<kubernetes::EndpointSlice>> read_slice_list(std::string_view body);
Result<std::vector<kubernetes::Service>> read_service_list(std::string_view body);
Result<std::vector<kubernetes::Pod>> read_pod_list(std::string_view body);

/// Returns what Revisions and slices of ours name, each target once. Slices count too, because an
/// uninstallation by hand may have deleted their Revisions already. Retired Revisions stay at zero.
std::vector<ReleasedTarget> released_targets(const std::vector<cluster::RevisionObject>& revisions,
                                             const std::vector<kubernetes::EndpointSlice>& ours);

/// Returns true if one of the slices of a Service, without those of ours, has a ready endpoint.
bool is_served(const std::vector<kubernetes::EndpointSlice>& slices);

/// Returns what keeps the pods of a Service from being ready, by the pod that tells most: "pod
/// web-1: container app: ImagePullBackOff: ...".
std::string delay_of(const std::vector<kubernetes::Pod>& pods, const cluster::Clocks& clocks);

/// Returns the error that names Services whose only endpoints are in slices of ours. They have no
/// selector, so nothing serves them without Bellows. nullopt: there is none.
std::optional<Error> unserved_without_us(const std::vector<std::string>& services);

/// Returns "NAME, NAME" of the objects in a list that are neither parts of Bellows nor made by the
/// control plane for every namespace, nor made by other objects.
Result<std::string> foreign_names(std::string_view body);

}  // namespace bellows::cli
