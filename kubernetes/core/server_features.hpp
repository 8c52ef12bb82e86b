// What a server has, from its discovery documents. Nothing is guessed from a version but what no
// document lists.
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

/// GET /version. minor may come as "20+" from vendors.
struct ServerVersion {
  int major = 0;
  int minor = 0;
  std::string git_version;  ///< "v1.20.2"
};
Result<ServerVersion> parse_version(std::string_view body);

/// GET /apis: the group versions, "apps/v1"; with the core group's "v1" added.
Result<std::set<std::string>> parse_group_list(std::string_view body);

struct ApiResource {
  std::string name;  ///< plural; "deployments/scale" for a subresource
  std::string kind;
  std::string group;    ///< of the kind if it differs from the list's, as Scale's does
  std::string version;  ///< likewise
  bool is_namespaced = false;
  std::vector<std::string> verbs;
  bool operator==(const ApiResource&) const = default;
};
/// GET /apis/GROUP/VERSION or /api/v1.
Result<std::vector<ApiResource>> parse_resource_list(std::string_view body);

/// The answers put together; filled by the caller that asked.
struct ServerFeatures {
  ServerVersion version;
  std::set<std::string> group_versions;  ///< "v1", "apps/v1", ...

  bool has(std::string_view group_version) const;
  /// The first of the versions that the server has: "v1" before "v1beta1"; nothing: none of them.
  std::optional<Resource> first_of(std::string_view group, std::string_view plural,
                                   std::initializer_list<std::string_view> versions) const;
  std::optional<Resource> endpoint_slices() const;             ///< v1, v1beta1
  std::optional<Resource> pod_disruption_budgets() const;      ///< v1, v1beta1
  std::optional<Resource> horizontal_pod_autoscalers() const;  ///< v2, v2beta2, v1
  std::optional<Resource> scaled_objects() const;              ///< KEDA
  /// Worth a try; a server that rejects it is served by pages (list_watch.hpp). On by default from
  /// 1.34 on.
  bool may_have_watch_list() const;
  /// Endpoints say whether they serve and terminate: EndpointSlice v1, from 1.22 on by default.
  /// kube-proxy uses those that serve and terminate from 1.26 on, where no other is ready.
  bool has_serving_condition() const;
  /// controller.kubernetes.io/pod-deletion-cost counts: on by default from 1.22 on.
  bool has_pod_deletion_cost() const;
};

}  // namespace bellows::kubernetes
