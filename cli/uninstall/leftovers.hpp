// What Bellows has put into a cluster, read from lists of its API server. Pure: text in, data out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "cluster/kubernetes/core/revision_object.hpp"
#include "kubernetes/core/endpoint_slice.hpp"

namespace bellows::cli {

/// A target that Bellows scales, and the number that it gets back if it is at zero.
struct ReleasedTarget {
  std::string ns;
  cluster::TargetRef target;
  PodCount replicas = 1;
  bool operator==(const ReleasedTarget&) const = default;
};

/// Returns "Deployment shop/web".
std::string to_string(const ReleasedTarget& target);

Result<std::vector<cluster::RevisionObject>> read_revision_list(std::string_view body);
Result<std::vector<kubernetes::EndpointSlice>> read_slice_list(std::string_view body);

/// Returns what Revisions and slices of ours name, each target once. Slices count too, because an
/// uninstallation by hand may have deleted their Revisions already. Retired Revisions stay at zero.
std::vector<ReleasedTarget> released_targets(const std::vector<cluster::RevisionObject>& revisions,
                                             const std::vector<kubernetes::EndpointSlice>& ours);

/// Returns true if one of the slices of a Service, without those of ours, has a ready endpoint.
bool is_served(const std::vector<kubernetes::EndpointSlice>& slices);

/// Returns the keys of a list of objects, as JSON: "shop/web", or "web" without a namespace.
Result<std::vector<std::string>> read_object_keys(std::string_view body);

}  // namespace bellows::cli
