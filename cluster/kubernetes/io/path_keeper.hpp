// Keeps the paths of requests as they should be: writes slices, probes activators.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/sys/clock.hpp"
#include "cluster/kubernetes/core/outage.hpp"
#include "cluster/kubernetes/core/paths.hpp"
#include "http/io/task_group.hpp"
#include "kubernetes/core/server_features.hpp"
#include "kubernetes/io/api_client.hpp"

namespace bellows::cluster {

/// Carries out the steps of Paths. A slice that cannot be written, or that another client changes
/// again and again, is retried after 100 ms, doubled up to 10 s. An activator that does not answer
/// is probed again after 50 ms, doubled up to 1 s; at most 64 probes run at once. Nothing changes
/// while the API server cannot be reached. Owner: the KubernetesCluster. Thread: the io thread.
class PathKeeper {
 public:
  enum class Duty : std::uint8_t {
    kKeeps,    ///< the autoscaler that acts
    kReads,    ///< one that stands by: it keeps orders for later
    kRepairs,  ///< an activator: what cannot wait if no autoscaler does it
  };
  struct Parts {
    http::net::io_context& io;
    const sys::Clock& clock;
    kubernetes::ApiClient& client;
    http::TaskGroup& tasks;
    const Directory& directory;
    const Outage& outage;
    Duty duty = Duty::kKeeps;
    std::function<void(const RevisionId&)> changed;  ///< path() or the condition changes
    std::function<void()> activators_changed;
    std::function<void(const std::string& body)> slice_written;  ///< the server's response
    std::function<void(const RevisionId&, PodCount)> restore;    ///< see PathStep
  };
  PathKeeper(Parts parts, PathOptions options);

  bool is_on() const { return paths_.is_on(); }
  void start();
  /// Uses the version of slices that the server has.
  void use(const kubernetes::ServerFeatures& features);
  void slice_changed(const SlicePtr& before, const SlicePtr& after);
  void revision_changed(const RevisionObject& revision) {
    paths_.revision_changed(revision, clocks());
  }
  /// Changes paths from now on: every kind has been listed.
  void begin();
  /// Its duty is kKeeps from now on.
  void take_over();

  void order(const RevisionId& id, PathOrder order);
  void want_zero(const RevisionId& id, bool is_wanted);
  /// Does what is due for it. Call it when any fact of Directory about it has changed.
  void look_at(const RevisionId& id);
  void forget(const RevisionId& id);
  /// Notices the start and the end of outages; call it at intervals.
  void tick();
  /// See Paths.
  void own_by(std::string crd_uid);
  void leave(PathsEnd end);
  /// Takes the activator `self`, which ends, out of every path that still names it after a while:
  /// the autoscaler, which does it sooner, may be away.
  void hand_over(PodName self);

  /// Returns the path of a Revision that was looked at; the default of Path before that.
  Path path(const RevisionId& id) const;
  std::optional<Routed> routed(const RevisionId& id) const;
  /// See Paths.
  std::map<std::uint16_t, WallTime> resting_ports() const {
    return paths_.resting_ports(parts_.clock.now());
  }
  const std::vector<Activator>& activators() const { return paths_.activators().activators; }
  RevisionObjectPtr stand_in(const RevisionId& id) const { return paths_.stand_in(id); }
  std::vector<RevisionId> with_slices() const { return paths_.slices().revisions(); }

 private:
  struct Told {
    Path path;
    std::optional<Routed> routed;
  };
  /// The retries of one slice, or of one activator at one port.
  struct Attempt {
    bool is_under_way = false;
    TimePoint not_before{};
    Duration delay{};
    SliceWrite last;  // of a slice
  };
  using ProbeKey = std::pair<RevisionId, PodName>;

  Clocks clocks() const { return {.now = parts_.clock.now(), .wall = parts_.clock.wall_now()}; }
  bool may_act() const;
  void look_soon(const RevisionId& id, TimePoint at);
  http::Awaitable<void> run();
  void tell(const RevisionId& id, Told told);
  void look_at_all();
  void hand_over(const RevisionId& id);
  void repair(const RevisionId& id);
  void remove_without_service(const RevisionId& id);
  void begin_write(const RevisionId& id, SliceWrite write);
  http::Awaitable<void> carry_out(RevisionId id, SliceWrite write);
  http::Awaitable<Result<kubernetes::ApiAnswer>> send(const SliceWrite& write);
  void written(const RevisionId& id, const SliceWrite& write, const Result<void>& result);
  void begin_probes(const RevisionId& id, const std::vector<PathProbe>& probes);
  void ask_next();
  http::Awaitable<void> ask(RevisionId id, PathProbe probe);

  Parts parts_;
  Paths paths_;
  kubernetes::Resource resource_;
  bool has_begun_ = false;
  bool was_away_ = false;
  PodName ending_;  // of an activator that ends
  TimePoint hands_over_at_{};
  std::map<RevisionId, TimePoint> repairs_at_;  // of an activator, for paths with gone ones
  std::map<RevisionId, Told> told_;
  std::map<std::string, Attempt> writes_;  // by NAMESPACE/NAME
  std::map<ProbeKey, Attempt> probes_;
  std::deque<std::pair<RevisionId, PathProbe>> waiting_probes_;
  int asking_ = 0;
  std::set<std::pair<TimePoint, RevisionId>> due_;
  http::AsioTimer timer_;  // cancelled when something is due earlier
};

}  // namespace bellows::cluster
