// One revision in service: its throttler, and what has to happen around each of its changes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "activator/core/revision_throttler.hpp"
#include "activator/service/instruments.hpp"
#include "activator/service/queue_stats.hpp"
#include "activator/service/replica_prober.hpp"
#include "activator/service/waker.hpp"
#include "cluster/api.hpp"
#include "http/io/reactor.hpp"
#include "proxy/core/probe_rules.hpp"

namespace bellows::activator {

/// What all lines of an activator share; outlives them.
struct LineSurroundings {
  http::Reactor& reactor;
  QueueStats& stats;
  Waker& waker;
  ReplicaProber& prober;
  Random& random;
  metrics::prometheus::Registry& registry;
  ActivatorShare share;
};

/// Calls of the throttler, each followed by what it entails: the level of the queue's meter, a wake
/// when one is due, the next tick. Owner: the router; stays until its last request has ended.
/// Thread: the io thread.
class RevisionLine final : private http::Deadline {
 public:
  RevisionLine(LineSurroundings& surroundings, const cluster::Revision& revision);
  ~RevisionLine() override { *alive_ = false; }

  HoldState enter(HeldRequest& request, std::size_t bytes, TimePoint now);
  HoldState enter_again(HeldRequest& request, std::size_t bytes, TimePoint now);
  void leave(HeldRequest& request, TimePoint now);
  void answered(const HeldRequest& request, const ReplicaWord& word, TimePoint now);
  /// `why` it failed or timed out, if it did.
  void release(HeldRequest& request, PodOutcome outcome, FailureReason why, TimePoint now);

  /// The cluster's newest word.
  void update(const cluster::Revision& revision);
  void close(Error error);

  /// One request is under way that knows this line, until it says that it has ended. A request that
  /// was refused a moment ago is one of them although nothing of it is left in the throttler.
  void passage_began() { ++passages_; }
  void passage_ended() { --passages_; }
  bool has_passages() const { return passages_ > 0; }

  const RevisionThrottler& throttler() const { return throttler_; }
  /// Which requests are answered here without waking anybody, as its settings say.
  const proxy::ProbeRules& probes() const { return probes_; }
  /// Made with the first request.
  RevisionInstruments& instruments();
  /// Sets the gauges, for a revision that ever had a request.
  void refresh_gauges();

 private:
  void on_deadline() override;
  void after_change(TimePoint now);
  void send_due_probes(TimePoint now);
  void probe_ended(const PodName& replica, bool has_answered);

  LineSurroundings& surroundings_;
  RevisionThrottler throttler_;
  proxy::ProbeRules probes_;
  std::optional<RevisionInstruments> instruments_;
  std::int64_t passages_ = 0;
  bool is_quiet_ = true;  // nobody waited or was set aside after the last change
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // shared with probes under way
};

}  // namespace bellows::activator
