// The usage, the size and the events of the app of one replica.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/local/cgroup_tree.hpp"
#include "cluster/local/process_end.hpp"
#include "cluster/resources.hpp"

namespace bellows::cluster {

/// The settings that the replicas of a service share. Owner: the LocalRevision.
struct SharedResources {
  bool is_measured = false;              ///< resources-mode is not off
  CgroupTree* groups = nullptr;          ///< nullptr: this machine has none
  AppLimits limits = {};                 ///< of new replicas
  ReplicaSize for_new = {};              ///< the size that a replica starts with
  ResourceListener* listener = nullptr;  ///< nullptr: none
};

/// Reads the app's control group if it has one, otherwise /proc. Does nothing for a service that is
/// not measured. Owner: LocalReplica. Thread: the io thread.
class AppResources {
 public:
  /// `shared` outlives it.
  AppResources(const SharedResources& shared, RevisionId service, RevisionId revision,
               PodName replica);
  /// Reports kGone if the app was ever started. The app has ended before.
  ~AppResources();
  AppResources(const AppResources&) = delete;
  AppResources& operator=(const AppResources&) = delete;

  /// Prepares a start of the app; call it before each. Returns the cgroup.procs files that the app
  /// must enter. The first call makes the group and gives it the size of new replicas. If that
  /// fails, a warning is logged and the app runs without a group; with limits that is an error, and
  /// it must not run.
  Result<std::vector<std::string>> prepare_start();
  void started(TimePoint now);
  /// Records that the app could not enter its group, so it has no size.
  void ungrouped(const std::string& reason);
  /// Records the end of the app. `was_requested`: it was requested, so the app has not crashed.
  void ended(bool was_requested, TimePoint now);
  void set_crash_loop(bool is_looping, TimePoint now);

  /// Reads a few small files. `shim`: the root of its processes while it runs.
  void measure(std::optional<pid_t> shim, TimePoint now);

  Result<void> resize(const ReplicaSize& size);
  /// Returns the memory limit at which the kernel has killed the app or a part of it since its last
  /// start; nullopt: it has not.
  std::optional<Bytes> oom_killed_at() const { return oom_killed_at_; }
  /// Returns the size in effect; empty: none.
  ReplicaSize size() const { return group_ ? group_->size() : ReplicaSize{}; }

 private:
  struct Reading {
    std::optional<Duration> cpu;
    std::optional<Bytes> memory;
  };
  Result<void> make_group();
  Reading read(std::optional<pid_t> shim);
  void note_measured(bool is_known);
  void note_oom_kills(std::optional<std::uint64_t> kills, TimePoint now);
  void report(AppEvent::What what, TimePoint now, const ReplicaSize& killed_with = {}) const;

  const SharedResources& shared_;
  const RevisionId service_;
  const RevisionId revision_;
  const PodName replica_;
  std::unique_ptr<ReplicaGroup> group_;
  bool has_tried_group_ = false;
  bool is_crash_looping_ = false;
  bool is_measured_ = true;                // its group could be read at the last measurement
  std::uint64_t oom_kills_ = 0;            // already reported
  std::optional<Bytes> oom_killed_at_;     // since the last start
  std::optional<TimePoint> last_started_;  // of the current or the last run of the app
  struct CpuReading {
    TimePoint at;
    Duration total;
  };
  std::optional<CpuReading> last_cpu_;
};

}  // namespace bellows::cluster
