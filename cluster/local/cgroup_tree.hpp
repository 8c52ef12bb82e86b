// Control groups for the apps of replicas: made, read, resized, removed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/replica_size.hpp"
#include "base/result.hpp"
#include "cluster/local/cgroup_files.hpp"
#include "cluster/local/cgroup_rules.hpp"

namespace bellows::cluster {

class ReplicaGroup;

/// One folder per run (below our own group, in each hierarchy), and in it one group per replica.
/// Owner: LocalCluster; it outlives its groups. Thread: the io thread. The folders go with this
/// object; after a SIGKILL the keepers remove the groups, and the next run what is left then.
class CgroupTree {
 public:
  struct Options {
    CgroupPlaces places;
    std::string run;  ///< run_folder() of this process
    std::int64_t self = 0;
    /// Whether the run that owns such a folder still goes on.
    std::function<bool(const RunOwner&)> is_alive;
  };

  /// Removes what dead runs left, and makes the folder of this one. Version 2 lets no processes
  /// stand beside groups that divide memory, so this process moves into a group "main" of its own
  /// first. The error names what is in the way and what would help; nothing is left behind then.
  static Result<std::unique_ptr<CgroupTree>> create(const CgroupFiles& files, Options options);
  ~CgroupTree();
  CgroupTree(const CgroupTree&) = delete;
  CgroupTree& operator=(const CgroupTree&) = delete;

  Result<std::unique_ptr<ReplicaGroup>> make_group(const std::string& name);

 private:
  friend class ReplicaGroup;
  CgroupTree(const CgroupFiles& files, Options options);
  std::vector<std::string> own_folders() const;
  std::string run_path(Controller controller) const;
  void remove_leftovers() const;
  void remove_run(const std::string& folder) const;
  Result<void> prepare();
  Result<void> divide();

  const CgroupFiles& files_;
  const Options options_;
  bool has_moved_ = false;  // into "main"
};

/// The group of one replica's app, across its restarts. Removed when destroyed; the processes in
/// it have ended by then.
class ReplicaGroup {
 public:
  ~ReplicaGroup();
  ReplicaGroup(const ReplicaGroup&) = delete;
  ReplicaGroup& operator=(const ReplicaGroup&) = delete;

  /// A process that writes "0" into all of these is in the group, and so is what it starts.
  std::vector<std::string> entrances() const;

  /// A hard limit that its use has meanwhile come near to is raised to kRoom above it. On an error,
  /// which names the file, a part may be in effect; the next resize goes on from there.
  Result<void> resize(ReplicaSize size);
  /// That is in effect.
  const ReplicaSize& size() const { return size_; }

  GroupUsage read() const;
  /// Why CPU or memory cannot be read at present: names the file, and what it says instead of a
  /// number. Good: both can.
  Result<void> check() const;

  static constexpr double kRoom = 1.2;

 private:
  friend class CgroupTree;
  ReplicaGroup(const CgroupTree& tree, std::string name);
  std::string path(Controller controller) const;
  std::vector<std::string> folders() const;

  const CgroupTree& tree_;
  const std::string name_;
  ReplicaSize size_;
};

/// For this process and machine. kUnsupported or kSystem: why there are no groups for replicas.
Result<std::unique_ptr<CgroupTree>> system_cgroup_tree();

}  // namespace bellows::cluster
