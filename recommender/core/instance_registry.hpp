// The containers and replicas of a workload: containers by name, and the instances (one container
// of one replica) of each. Lookups by name are hashed, by handle an index; there is no linear
// search.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "recommender/core/sample.hpp"

namespace bellows::recommender {

/// One container of one replica.
struct Instance {
  PodName replica;
  std::uint32_t container = 0;  ///< index into InstanceRegistry::containers
  bool is_present = false;      ///< false: a free slot for reuse
  Request request;
  WallTime started;
};

/// A container name and its instances.
struct RegisteredContainer {
  ContainerName name;
  std::vector<InstanceId> instances;
};

/// Owner: a Policy. Thread: as its owner.
class InstanceRegistry {
 public:
  struct Added {
    InstanceId instance;
    bool is_new_container = false;
    bool is_new_instance = false;
  };
  Added add(const PodName& replica, const ContainerName& container, WallTime now);
  /// Adds a container without replicas, as in a restored state. Returns its index.
  std::uint32_t add_container(const ContainerName& container);
  void remove(InstanceId instance);

  Instance& at(InstanceId instance) { return instances_[instance.index]; }
  const Instance& at(InstanceId instance) const { return instances_[instance.index]; }
  bool has(InstanceId instance) const {
    return instance.index < instances_.size() && instances_[instance.index].is_present;
  }
  const std::vector<RegisteredContainer>& containers() const { return containers_; }
  std::optional<std::uint32_t> find(const ContainerName& container) const;
  std::size_t size() const { return instances_.size(); }  ///< handles are less than this

  /// Returns the culprit of errors: "web-1/app", or "app" for replicas without a name.
  std::string label(InstanceId instance) const;

 private:
  std::vector<RegisteredContainer> containers_;
  std::vector<Instance> instances_;
  std::vector<std::uint32_t> free_;  // free slots of instances_
  std::unordered_map<ContainerName, std::uint32_t> by_name_;
  std::unordered_map<PodName, std::vector<InstanceId>> by_replica_;  // a replica has few containers
};

}  // namespace bellows::recommender
