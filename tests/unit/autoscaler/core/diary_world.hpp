// One revision in a world moved by hand: callers, replicas that start and leave, an activator, and
// an autoscaler that may be killed.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "autoscaler/service/revision_registry.hpp"
#include "tests/support/manual_clock.hpp"

namespace bellows::autoscaler::test {

/// Time goes in steps of a second. In each, replicas whose start is over become ready, every ready
/// replica reports its even share of the load, and the autoscaler decides what is due; its answer
/// is carried out at once: missing replicas begin to start, excess ones leave. Load that finds no
/// ready replica waits at the activator, which reports it and triggers the revision.
class DiaryWorld final : public DecisionListener {
 public:
  explicit DiaryWorld(config::RevisionSettings settings);

  /// Replicas become ready this long after they were ordered; before this is called they never do.
  void start_takes(Duration duration) { start_ = duration; }

  /// From now on.
  void load(double requests_in_flight);
  void pods(PodCount ready);          ///< so many are ready now, and requested
  void silent(std::size_t replicas);  ///< the first so many do not report
  void crash(std::size_t replicas);   ///< the first so many begin anew, under other names
  /// The first so many ready ones drain: they keep what they have in flight for `duration`, then
  /// are gone. Others are ordered in their place at once.
  void leave(std::size_t replicas, Duration duration);
  void set_state(cluster::RevisionState state);

  void restart(bool with_snapshot);  ///< senders replay a second later
  void advance_to(std::int64_t second);

  Decision last() const { return *registry_->find(id_)->journal.last(); }

 private:
  struct Sent {
    metrics::Stat stat;
    TimePoint end;
  };
  struct Leaving {
    cluster::Replica replica;
    double load = 0;
    TimePoint until;
  };

  void decided(ScaledRevision&, const Decision& decision, const Memory&) override;
  void removed(const RevisionId&) override {}
  void begin_beside(PodCount count);
  void step();
  void finish_starts();
  void finish_leaving();
  void report_load();
  void report(const std::string& pod, metrics::StatSource source, double concurrency);
  void replay();
  void wake_if_nobody_serves();
  void carry_out_order();
  void order(PodCount want);
  void publish();
  PodCount ready() const;

  RevisionId id_{"web"};
  bellows::test::ManualClock clock_;
  TimePoint begin_;
  cluster::Revision revision_;
  std::vector<cluster::Replica> replicas_;  // that do not leave
  cluster::RevisionList list_;
  std::optional<Duration> start_;
  double load_ = 0;
  std::size_t silent_ = 0;
  std::vector<Leaving> leaving_;
  bool has_waited_ = false;  ///< the activator reports once it has held a request
  int named_ = 0;
  std::uint64_t sequence_ = 0;
  std::optional<PodCount> wanted_;
  std::optional<TimePoint> replay_at_;
  std::deque<Sent> sent_;
  std::unique_ptr<RevisionRegistry> registry_;
};

}  // namespace bellows::autoscaler::test
