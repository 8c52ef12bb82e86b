// The path of a request through a simulation: activator, queue-proxy, app.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "activator/core/revision_throttler.hpp"
#include "base/random.hpp"
#include "config/revision_settings.hpp"
#include "metrics/meter.hpp"
#include "metrics/stat.hpp"
#include "simulator/event_queue.hpp"
#include "simulator/fleet.hpp"
#include "simulator/recorder.hpp"
#include "simulator/workload.hpp"

namespace bellows::simulator {

/// Holds, forwards, completes and aborts requests, and counts them in the outcome. It makes no
/// scaling decision: after each call the simulation asks take_wait_change() what follows for the
/// scaler. Owner: one World. Pure.
class RequestPath {
 public:
  /// All outlive it; `fleet` too, because requests hold slots of its replicas.
  RequestPath(const Workload& workload, const config::RevisionSettings& settings, Fleet& fleet,
              Recorder& recorder, TimePoint begin);

  void arrive(const Arrival& arrival, TimePoint now);

  /// The next time at which a request ends; TimePoint::max() if none runs.
  TimePoint next_end() const { return ends_.next(); }
  /// Ends the request that is due. Returns its replica; nullptr if that replica had aborted it.
  Replica* complete_next(TimePoint now);

  /// Runs the throttler's timer.
  void tick(TimePoint now);
  /// Applies the speed of the replica's requests, which may have changed with time.
  void refresh(Replica& replica, TimePoint now);
  /// Returns a replica that needs more memory than its limit; nullptr: none.
  Replica* take_killed();
  /// Tells the throttler which replicas are ready, and how many were ordered.
  void set_replicas(TimePoint now);
  /// Sets the target by which the throttler fills replicas from now on.
  void fill_by(std::optional<double> learned_target, TimePoint now);
  /// Aborts every request of `replica`, whose app restarts. The caller calls follow_up() later.
  void abort_all(Replica& replica, TimePoint now);
  /// Forwards and rejects the requests that the throttler has settled since abort_all().
  void follow_up(TimePoint now);

  /// The follow-up of a change in the queue, as the activator's service does it.
  struct WaitChange {
    std::optional<TimePoint> tick;  ///< when tick() is due, if no tick is pending
    std::optional<metrics::ScaleFromZeroTrigger> trigger;  ///< for the scaler
  };
  WaitChange take_wait_change(TimePoint now);
  /// Returns true if it may return something: requests wait, or waited at the last call.
  bool has_wait_change() const { return was_waiting_ || throttler_.waiting() > 0; }

  /// The report on waiting requests for the second that ends now, if there is anything to report.
  std::optional<metrics::Stat> close_second(TimePoint now);

  /// Requests that wait or run.
  std::int64_t in_system() const { return throttler_.in_flight() + throttler_.waiting(); }
  /// True if every request that arrived has ended.
  bool is_empty() const { return open_ == 0; }

 private:
  void forward(Request& request, TimePoint now);
  void work_on(Request& request, TimePoint now);
  void share_work(Request& request, TimePoint now);
  bool ends_now(Request& request, TimePoint now);
  void stop_sharing(Request& request, TimePoint now);
  void predict(SharedWork& work, const Replica& replica, TimePoint now);
  SharedWork& work_of(Replica& replica) {
    return workload_.app.sharing.downstream > 0 ? downstream_ : replica.work;
  }
  TimePoint deadline_of(const Request& request, TimePoint now) const;
  void end(Request& request, std::uint64_t& counter);
  void recycle(Request& request);
  Request& free_request();

  const Workload& workload_;
  const config::RevisionSettings& settings_;
  std::optional<double> learned_target_;
  Fleet& fleet_;
  Recorder& recorder_;

  // Requests are destroyed first: they leave the throttler's queue and release their slots.
  std::vector<Request*> settled_;
  SeededRandom choices_;  // of the throttler's load balancing
  activator::RevisionThrottler throttler_;
  std::deque<Request> requests_;  // all ever made, at stable addresses
  std::vector<Request*> free_;
  EventQueue<Request*> ends_;
  SharedWork downstream_;  // if the app has something that all replicas share
  std::vector<Replica*> killed_;
  SeededRandom kinds_;  // of slow and fast requests
  TimePoint begin_;
  metrics::ConcurrencyMeter held_;
  metrics::Stat held_stat_;
  bool reports_held_ = false;
  bool was_waiting_ = false;
  bool has_tick_ = false;
  std::uint64_t open_ = 0;  // requests that arrived and have not ended
};

}  // namespace bellows::simulator
