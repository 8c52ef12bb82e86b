// core/v1 Container: ports and resources, in pods and pod templates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/core/shared_list.hpp"
#include "kubernetes/core/string_map.hpp"

namespace bellows::kubernetes {

class Fields;
class FieldSet;

struct ContainerPort {
  std::string name;  ///< may be empty
  std::uint16_t port = 0;
  std::string protocol;  ///< "TCP", "UDP", "SCTP"
  bool operator==(const ContainerPort&) const = default;
};

struct Container {
  std::string name;
  std::vector<ContainerPort> ports;
  StringMap requests;  ///< quantities as text: "cpu" -> "250m" (quantity.hpp)
  StringMap limits;
  bool operator==(const Container&) const = default;
};

/// Reads the port under `key`; 0 if it is missing. A number that is no port is an error of the
/// object.
std::uint16_t read_port(const Fields& object, std::string_view key);

std::size_t hash_of(const SharedList<Container>& containers);

/// Reads the list of containers under `key`.
std::vector<Container> read_containers(const Fields& pod_spec, std::string_view key);

/// Reads the containers of a pod's spec, and then its sidecars: init containers with restartPolicy
/// Always.
std::vector<Container> read_pod_containers(const Fields& pod_spec);

/// Keeps the paths that read_containers() reads, below `path` ("/spec/containers").
void keep_containers(FieldSet& fields, std::string_view path);
/// Keeps the paths that read_pod_containers() reads, below `path` ("/spec").
void keep_pod_containers(FieldSet& fields, std::string_view path);

}  // namespace bellows::kubernetes
