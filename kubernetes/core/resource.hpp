// The collection of the API server that a request addresses, and the paths below its root. Source:
// Kubernetes, "API Concepts", Resource URIs.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace bellows::kubernetes {

/// One kind of objects by its group, version and plural name: {"", "v1", "pods"},
/// {"apps", "v1", "deployments"}. The core group is the empty one.
struct Resource {
  std::string group;
  std::string version;
  std::string plural;
  auto operator<=>(const Resource&) const = default;
};

/// Returns "/apis/apps/v1/namespaces/shop/deployments"; with an empty `ns` the path of all
/// namespaces, or of a kind without namespaces: "/apis/apps/v1/deployments". Names are
/// percent-encoded.
std::string collection_path(const Resource& resource, std::string_view ns = {});

/// Returns ".../deployments/web", with a subresource ".../deployments/web/scale". `ns` is empty for
/// a kind without namespaces.
std::string object_path(const Resource& resource, std::string_view ns, std::string_view name,
                        std::string_view subresource = {});

/// Returns the text of apiVersion: "apps/v1", or "v1" in the core group.
std::string api_version(const Resource& resource);

/// Splits such a text into group and version. Further slashes stay in the version.
Resource resource_of(std::string_view api_version, std::string_view plural);

/// Returns the name in messages and in RBAC rules: "deployments.apps", or "pods".
std::string to_string(const Resource& resource);

// The following resources exist in this version in every server from 1.20 on.
Resource pods();
Resource services();
Resource events();
Resource namespaces();
Resource deployments();
Resource stateful_sets();
Resource replica_sets();
Resource leases();

}  // namespace bellows::kubernetes
