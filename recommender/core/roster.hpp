// Who belongs to a workload: containers by name, and the instances (one container of one replica)
// of each. Lookups by name are hashed, by handle an index; nothing is ever searched.
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
  std::uint32_t container = 0;  ///< index into Roster::containers
  bool is_present = false;      ///< false: a free place, to be given out again
  Request request;
  WallTime started;
};

/// A container name and who has it at present.
struct RosterContainer {
  ContainerName name;
  std::vector<InstanceId> instances;
};

/// Owner: a Policy. Thread: as its owner.
class Roster {
 public:
  struct Entered {
    InstanceId instance;
    bool is_new_container = false;
    bool is_new_instance = false;
  };
  Entered enter(const PodName& replica, const ContainerName& container, WallTime now);
  /// Makes the container known without any replica, as a restored state does. Its index.
  std::uint32_t add_container(const ContainerName& container);
  void leave(InstanceId instance);

  Instance& at(InstanceId instance) { return instances_[instance.index]; }
  const Instance& at(InstanceId instance) const { return instances_[instance.index]; }
  bool has(InstanceId instance) const {
    return instance.index < instances_.size() && instances_[instance.index].is_present;
  }
  const std::vector<RosterContainer>& containers() const { return containers_; }
  std::optional<std::uint32_t> find(const ContainerName& container) const;
  std::size_t size() const { return instances_.size(); }  ///< handles are below this

  /// "web-1/app", or "app" where replicas have no name: the culprit of errors.
  std::string label(InstanceId instance) const;

 private:
  std::vector<RosterContainer> containers_;
  std::vector<Instance> instances_;
  std::vector<std::uint32_t> free_;  // places in instances_ that were left
  std::unordered_map<ContainerName, std::uint32_t> by_name_;
  std::unordered_map<PodName, std::vector<InstanceId>> by_replica_;  // a replica has few containers
};

}  // namespace bellows::recommender
