#include "kubernetes/core/container.hpp"

#include <functional>
#include <utility>

#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

std::uint16_t read_port(const Fields& object, std::string_view key) {
  const std::int64_t port = object.integer(key);
  constexpr std::int64_t kMax = 65535;
  if (port >= 0 && port <= kMax) return static_cast<std::uint16_t>(port);
  object.invalid(key, "a port from 1 to 65535");
  return 0;
}

std::vector<Container> read_containers(const Fields& pod_spec, std::string_view key) {
  std::vector<Container> containers;
  pod_spec.each(key, [&containers](const Fields& from) {
    Container container;
    container.name = from.text("name");
    from.each("ports", [&container](const Fields& port) {
      container.ports.push_back({.name = port.text("name"),
                                 .port = read_port(port, "containerPort"),
                                 .protocol = port.text("protocol")});
    });
    container.ports.shrink_to_fit();
    const Fields resources = from.object("resources");
    container.requests = resources.map("requests");
    container.limits = resources.map("limits");
    containers.push_back(std::move(container));
  });
  containers.shrink_to_fit();
  return containers;
}

void keep_containers(FieldSet& fields, std::string_view path) {
  for (const std::string_view member :
       {"/name", "/ports/name", "/ports/containerPort", "/ports/protocol", "/resources/requests",
        "/resources/limits"}) {
    fields.keep(std::string(path).append(member));
  }
}

std::vector<Container> read_pod_containers(const Fields& pod_spec) {
  std::vector<Container> containers = read_containers(pod_spec, "containers");
  std::vector<Container> init = read_containers(pod_spec, "initContainers");
  std::size_t index = 0;
  pod_spec.each("initContainers", [&](const Fields& from) {
    if (from.view("restartPolicy") == "Always") containers.push_back(std::move(init[index]));
    ++index;
  });
  return containers;
}

void keep_pod_containers(FieldSet& fields, std::string_view path) {
  keep_containers(fields, std::string(path) + "/containers");
  keep_containers(fields, std::string(path) + "/initContainers");
  fields.keep(std::string(path) + "/initContainers/restartPolicy");
}

/// Hashes names and resources: containers of one template are equal, and those of two templates
/// differ in a name or in their resources.
std::size_t hash_of(const SharedList<Container>& containers) {
  std::size_t hash = containers.size();
  for (const Container& container : containers) {
    hash = hash * 31 + std::hash<std::string>()(container.name);
    hash = hash * 31 + hash_of(container.requests);
  }
  return hash;
}

}  // namespace bellows::kubernetes
