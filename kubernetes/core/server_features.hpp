// Features of a server, from its discovery documents. Only features that no document lists are
// inferred from the version.
#pragma once

#include <compare>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "kubernetes/core/resource.hpp"

namespace bellows::kubernetes {

/// The response to GET /version. Vendors may send "20+" as minor.
struct ServerVersion {
  int major = 0;
  int minor = 0;
  std::string git_version;  ///< "v1.20.2"
};
Result<ServerVersion> parse_version(std::string_view body);

/// Returns true for servers that have native sidecars on by default: init containers that always
/// restart. Older ones drop the field, and the pod would wait for the end of its sidecar.
bool has_native_sidecars(const ServerVersion& version);

/// Parses GET /apis: the group versions, "apps/v1", plus "v1" of the core group.
Result<std::set<std::string>> parse_group_list(std::string_view body);

struct ApiResource {
  std::string name;  ///< plural; "deployments/scale" for a subresource
  std::string kind;
  std::string group;    ///< group of the kind if it differs from the list's, as Scale's does
  std::string version;  ///< the same
  bool is_namespaced = false;
  std::vector<std::string> verbs;
  bool operator==(const ApiResource&) const = default;
};
/// Parses GET /apis/GROUP/VERSION or /api/v1.
Result<std::vector<ApiResource>> parse_resource_list(std::string_view body);

/// The combined responses; filled by the caller that requested them.
struct ServerFeatures {
  ServerVersion version;
  std::set<std::string> group_versions;  ///< "v1", "apps/v1", ...

  bool has(std::string_view group_version) const;
  /// Returns the first of the versions that the server has: "v1" before "v1beta1"; nullopt if it
  /// has none.
  std::optional<Resource> first_of(std::string_view group, std::string_view plural,
                                   std::initializer_list<std::string_view> versions) const;
  std::optional<Resource> endpoint_slices() const;             ///< v1, v1beta1
  std::optional<Resource> pod_disruption_budgets() const;      ///< v1, v1beta1
  std::optional<Resource> horizontal_pod_autoscalers() const;  ///< v2, v2beta2, v1
  std::optional<Resource> scaled_objects() const;              ///< KEDA
  std::optional<Resource> pod_metrics() const;                 ///< of metrics.k8s.io, v1beta1
  /// Returns true if a watch list should be tried; a server that rejects it is read in pages
  /// (list_watch.hpp). It is on by default from 1.34 on.
  bool may_have_watch_list() const;
  /// Returns true if endpoints state whether they serve and terminate: EndpointSlice v1, from 1.22
  /// on by default. kube-proxy uses those that serve and terminate from 1.26 on, if no other is
  /// ready.
  bool has_serving_condition() const;
  /// Returns true if controller.kubernetes.io/pod-deletion-cost has an effect: on by default from
  /// 1.22 on.
  bool has_pod_deletion_cost() const;
  /// Returns true if a namespace that is deleted loses its pods first: on by default from 1.33 on.
  bool has_ordered_namespace_deletion() const;
};

}  // namespace bellows::kubernetes
