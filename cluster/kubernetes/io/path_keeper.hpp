// Keeps the paths of requests as they should be: writes slices, asks activators.
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

/// Carries out what Paths wants. A slice that cannot be written is tried again after 100 ms,
/// doubled up to 10 s; one that another client changes again and again likewise. An activator that
/// does not answer is asked again after 50 ms, doubled up to 1 s; at most 64 are asked at once.
/// While the API server is away nothing changes. Owner: the KubernetesCluster. Thread: the io
/// thread.
class PathKeeper {
 public:
  struct Parts {
    http::net::io_context& io;
    const sys::Clock& clock;
    kubernetes::ApiClient& client;
    http::TaskGroup& tasks;
    const Directory& directory;
    const Outage& outage;
    bool only_reads = false;                         ///< an activator
    std::function<void(const RevisionId&)> changed;  ///< path() or what is told of it
    std::function<void()> activators_changed;
    std::function<void(const std::string& body)> slice_written;  ///< the server's answer
    std::function<void(const RevisionId&, PodCount)> restore;    ///< see PathStep
  };
  PathKeeper(Parts parts, PathOptions options);

  bool is_on() const { return paths_.is_on(); }
  void start();
  /// The slices of the server have this version.
  void use(const kubernetes::ServerFeatures& features);
  void slice_changed(const SlicePtr& before, const SlicePtr& after);
  void revision_changed(const RevisionObject& revision) {
    paths_.revision_changed(revision, clocks());
  }
  /// From now on paths are changed: every kind has been listed.
  void begin();

  void order(const RevisionId& id, PathOrder order);
  void want_zero(const RevisionId& id, bool is_wanted);
  /// Does what is due for it. Call it when anything has changed that Directory knows of it.
  void look_at(const RevisionId& id);
  void forget(const RevisionId& id);
  /// Outages begin and end.
  void tick();

  /// Of a Revision that was looked at; the default of Path before that.
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
  /// Of one slice, or of one activator at one port.
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
  std::map<RevisionId, Told> told_;
  std::map<std::string, Attempt> writes_;  // by NAMESPACE/NAME
  std::map<ProbeKey, Attempt> probes_;
  std::deque<std::pair<RevisionId, PathProbe>> waiting_probes_;
  int asking_ = 0;
  std::set<std::pair<TimePoint, RevisionId>> due_;
  http::AsioTimer timer_;  // cancelled when something is due earlier
};

}  // namespace bellows::cluster
