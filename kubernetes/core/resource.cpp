#include "kubernetes/core/resource.hpp"

#include "base/query.hpp"

namespace bellows::kubernetes {

std::string api_version(const Resource& resource) {
  return resource.group.empty() ? resource.version : resource.group + "/" + resource.version;
}

std::string collection_path(const Resource& resource, std::string_view ns) {
  std::string path = resource.group.empty() ? "/api/" : "/apis/";
  path += api_version(resource);
  if (!ns.empty()) path += "/namespaces/" + percent_encoded(ns);
  return path + "/" + resource.plural;
}

std::string object_path(const Resource& resource, std::string_view ns, std::string_view name,
                        std::string_view subresource) {
  std::string path = collection_path(resource, ns) + "/" + percent_encoded(name);
  if (!subresource.empty()) path.append("/").append(subresource);
  return path;
}

Resource resource_of(std::string_view api_version, std::string_view plural) {
  const auto slash = api_version.find('/');
  if (slash == std::string_view::npos) {
    return {.group = {}, .version = std::string(api_version), .plural = std::string(plural)};
  }
  return {.group = std::string(api_version.substr(0, slash)),
          .version = std::string(api_version.substr(slash + 1)),
          .plural = std::string(plural)};
}

std::string to_string(const Resource& resource) {
  return resource.group.empty() ? resource.plural : resource.plural + "." + resource.group;
}

Resource pods() {
  return {"", "v1", "pods"};
}
Resource services() {
  return {"", "v1", "services"};
}
Resource events() {
  return {"", "v1", "events"};
}
Resource namespaces() {
  return {"", "v1", "namespaces"};
}
Resource deployments() {
  return {"apps", "v1", "deployments"};
}
Resource stateful_sets() {
  return {"apps", "v1", "statefulsets"};
}
Resource replica_sets() {
  return {"apps", "v1", "replicasets"};
}
Resource leases() {
  return {"coordination.k8s.io", "v1", "leases"};
}

}  // namespace bellows::kubernetes
