// Which collection of the API server a request is about, and the paths below its root.
// Source: Kubernetes, "API Concepts", Resource URIs.
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

/// "/apis/apps/v1/namespaces/shop/deployments"; of all namespaces (or of a kind without
/// namespaces) if `ns` is empty: "/apis/apps/v1/deployments". Names are percent-encoded.
std::string collection_path(const Resource& resource, std::string_view ns = {});

/// ".../deployments/web", with a subresource ".../deployments/web/scale". `ns` is empty for a kind
/// without namespaces.
std::string object_path(const Resource& resource, std::string_view ns, std::string_view name,
                        std::string_view subresource = {});

/// "apps/v1", or "v1" in the core group: the text of apiVersion.
std::string api_version(const Resource& resource);

/// The same text taken apart: group and version. More than one slash stays in the version.
Resource resource_of(std::string_view api_version, std::string_view plural);

/// "deployments.apps", or "pods": the name in messages and in RBAC rules.
std::string to_string(const Resource& resource);

// The resources that every server from 1.20 on has in this version.
Resource pods();
Resource services();
Resource events();
Resource namespaces();
Resource deployments();
Resource stateful_sets();
Resource replica_sets();
Resource leases();

}  // namespace bellows::kubernetes
