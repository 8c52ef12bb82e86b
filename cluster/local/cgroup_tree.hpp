// Creates, reads, resizes and removes the control groups of apps.
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

/// One folder per Bellows process (below its own group, in each hierarchy), which contains one
/// group per replica. The destructor removes the folders; after a SIGKILL the shims remove the
/// groups, and the next Bellows removes the rest. Owner: LocalCluster; it outlives its groups.
/// Thread: the io thread.
class CgroupTree {
 public:
  struct Options {
    CgroupPlaces places;
    std::string run;  ///< run_folder() of this process
    std::int64_t self = 0;
    /// Returns true if the Bellows process that owns such a folder still runs.
    std::function<bool(const RunOwner&)> is_alive;
  };

  /// Removes the folders of dead Bellows processes and makes the one of this process. Version 2
  /// allows processes only in leaf groups, so this process first moves into a group "main" of its
  /// own. The error names the obstacle and the remedy; in that case nothing is left.
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
  bool has_moved_ = false;  // into kMain
};

/// The group of one replica's app, across its restarts. The destructor removes the group; its
/// processes have ended before.
class ReplicaGroup {
 public:
  ~ReplicaGroup();
  ReplicaGroup(const ReplicaGroup&) = delete;
  ReplicaGroup& operator=(const ReplicaGroup&) = delete;

  /// Returns the cgroup.procs files: a process that writes "0" into all of them enters the group,
  /// and so do its later children.
  std::vector<std::string> entrances() const;

  /// Resizes the group. Raises a hard limit below kMemoryMargin times the present usage to that.
  /// After an error, which names the file, a part may be in effect; the next resize continues from
  /// there.
  Result<void> resize(ReplicaSize size);
  /// Sets limits for every later size. Call it once, before a process enters the group. The error
  /// names the file.
  Result<void> limit(const AppLimits& limits);
  /// Returns the size in effect.
  const ReplicaSize& size() const { return size_; }

  GroupUsage read() const;
  /// Succeeds if both CPU and memory can be read now; the error names the file and its content.
  Result<void> check() const;

  static constexpr double kMemoryMargin = 1.2;

 private:
  friend class CgroupTree;
  ReplicaGroup(const CgroupTree& tree, std::string name);
  std::string path(Controller controller) const;
  std::vector<std::string> folders() const;

  const CgroupTree& tree_;
  const std::string name_;
  ReplicaSize size_;
  AppLimits limits_;
};

/// Makes the groups of this process. kUnsupported or kSystem: why this machine has no groups for
/// replicas.
Result<std::unique_ptr<CgroupTree>> system_cgroup_tree();

/// Checks if system_cgroup_tree() would make groups, as far as reading shows; makes nothing.
Result<void> can_make_groups();

}  // namespace bellows::cluster
