// One revision in service: its throttler, and what has to happen around each of its changes.
#pragma once

#include <optional>

#include "activator/core/revision_throttler.hpp"
#include "activator/service/instruments.hpp"
#include "activator/service/queue_stats.hpp"
#include "activator/service/waker.hpp"
#include "cluster/api.hpp"
#include "http/io/reactor.hpp"

namespace bellows::activator {

/// What all lines of an activator share; outlives them.
struct LineSurroundings {
  http::Reactor& reactor;
  QueueStats& stats;
  Waker& waker;
  metrics::prometheus::Registry& registry;
};

/// Calls of the throttler, each followed by what it entails: the level of the queue's meter, a wake
/// when one is due, the next tick. Owner: the router; stays until its last request has ended.
/// Thread: the io thread.
class RevisionLine final : private http::Deadline {
 public:
  RevisionLine(LineSurroundings& surroundings, const cluster::Revision& revision);

  HoldState enter(HeldRequest& request, std::size_t bytes, TimePoint now);
  HoldState enter_again(HeldRequest& request, std::size_t bytes, TimePoint now);
  void leave(HeldRequest& request, TimePoint now);
  void answered(const HeldRequest& request) { throttler_.answered(request); }
  void release(HeldRequest& request, PodOutcome outcome, TimePoint now);

  /// The cluster's newest word.
  void update(const cluster::Revision& revision);
  void close(Error error);

  const RevisionThrottler& throttler() const { return throttler_; }
  /// Made with the first request.
  RevisionInstruments& instruments();
  /// Sets the gauges, for a revision that ever had a request.
  void refresh_gauges();

 private:
  void on_deadline() override;
  void after_change(TimePoint now);

  LineSurroundings& surroundings_;
  RevisionThrottler throttler_;
  std::optional<RevisionInstruments> instruments_;
  bool is_quiet_ = true;  // nobody waited after the last change
};

}  // namespace bellows::activator
