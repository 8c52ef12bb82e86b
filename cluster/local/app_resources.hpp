// What the app of one replica uses, how large it is, and what befell it.
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

/// What the replicas of a service share. Owner: LocalCluster.
struct SharedResources {
  bool is_measured = false;              ///< resources-mode is not off
  CgroupTree* groups = nullptr;          ///< nullptr: none can be made here
  ReplicaSize for_new = {};              ///< what a replica starts with
  ResourceListener* listener = nullptr;  ///< nullptr: nobody wants to know
};

/// Reads the app's control group if it has one, else /proc. Owner: LocalReplica. Thread: the io
/// thread. Does nothing at all for a service that is not measured.
class AppResources {
 public:
  /// `shared` outlives it.
  AppResources(const SharedResources& shared, RevisionId revision, PodName replica);
  /// Tells that it is gone, if it ever started. The app has ended by then.
  ~AppResources();
  AppResources(const AppResources&) = delete;
  AppResources& operator=(const AppResources&) = delete;

  /// Before each start of the app: the entrances of its group. The first one makes the group and
  /// gives it the size of new replicas; what goes wrong is logged and it runs without.
  std::vector<std::string> prepare_start();
  void started(TimePoint now);
  /// It runs outside of its group, and so is not governed.
  void ungrouped(const std::string& reason);
  void ended(bool was_told_to, TimePoint now);
  void set_crash_loop(bool is_looping, TimePoint now);

  /// A few small files. `keeper`: the root of its processes while it runs.
  void measure(std::optional<pid_t> keeper, TimePoint now);

  Result<void> resize(const ReplicaSize& size);
  /// That is in effect; empty: not governed.
  ReplicaSize size() const { return group_ ? group_->size() : ReplicaSize{}; }

 private:
  struct Reading {
    std::optional<Duration> cpu;
    std::optional<Bytes> memory;
  };
  Reading read(std::optional<pid_t> keeper);
  void note_measured(bool is_known);
  void note_oom_kills(std::optional<std::uint64_t> kills, TimePoint now);
  void tell(AppEvent::What what, TimePoint now, const ReplicaSize& killed_with = {}) const;

  const SharedResources& shared_;
  const RevisionId revision_;
  const PodName replica_;
  std::unique_ptr<ReplicaGroup> group_;
  bool has_tried_group_ = false;
  bool is_crash_looping_ = false;
  bool is_measured_ = true;                // its group could be read the last time
  std::uint64_t oom_kills_ = 0;            // that were told
  std::optional<TimePoint> last_started_;  // the app's life that goes on, or went on last
  struct CpuReading {
    TimePoint at;
    Duration total;
  };
  std::optional<CpuReading> last_cpu_;
};

}  // namespace bellows::cluster
