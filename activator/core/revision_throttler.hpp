// The requests of one revision and its replicas: who waits, who goes where, who is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "activator/core/activation.hpp"
#include "activator/core/held_request.hpp"
#include "activator/core/pick_policy.hpp"
#include "activator/core/pod_tracker.hpp"
#include "base/ids.hpp"
#include "config/revision_settings.hpp"
#include "proxy/core/drain_rate.hpp"

namespace bellows::activator {

/// What the cluster says about a revision, as far as its requests are concerned.
struct RevisionView {
  config::RevisionSettings settings;
  std::vector<ReplicaView> ready;  ///< by name
  /// Why its replicas do not come up, final enough to say so to callers (progress deadline passed,
  /// crash looping); empty: nothing, or no replica is there that could be in trouble.
  std::string trouble{};
};

/// Strict FIFO: a request gets a replica when every earlier one has got or given up its own, and
/// only a replica with a free slot (late binding): the slots of a replica are never exceeded, and a
/// slot never stays free while somebody waits. Bounded by count, bytes and age (queue-depth,
/// queue-bytes, queue-age). A request costs O(replicas) and no allocation unless it is refused.
///
/// Revision in trouble and nothing ready: those who wait and those who come are refused with the
/// trouble's text (kUnavailable) instead of waiting for a replica that will not come.
/// Owner: the router. Outlives its requests. Pure: instants come in.
class RevisionThrottler {
 public:
  RevisionThrottler(RevisionId revision, std::unique_ptr<PickPolicy> policy);

  const RevisionId& revision() const { return revision_; }

  /// Asks for a replica. Afterwards request.state() is kGranted, kWaiting, or kRefused with
  /// kOverloaded (a bound of the queue), kUnavailable (trouble), or the error of close().
  /// `bytes`: memory it holds while it waits.
  HoldState enter(HeldRequest& request, std::size_t bytes, TimePoint now);

  /// Asks for another replica after the granted one failed and was released: ahead of all that have
  /// not had their turn yet, outside of the bounds of count and bytes (it was let in once).
  HoldState enter_again(HeldRequest& request, std::size_t bytes, TimePoint now);

  /// The caller hung up: out of the line, or the slot back. Nothing to do in other states.
  void leave(HeldRequest& request, TimePoint now);

  /// The replica of a granted request has begun to answer.
  void answered(const HeldRequest& request);

  /// A granted request has ended: its slot goes to the first in line. True: the replica was set
  /// aside because of it.
  bool release(HeldRequest& request, PodOutcome outcome, TimePoint now);

  /// The cluster's newest word.
  void update(const RevisionView& view, TimePoint now);

  /// The revision is gone: everybody is refused with `error`, now and later; what runs, ends.
  void close(Error error);

  /// Refuses who has waited too long and begins trials that are due; to be called at next_tick().
  void tick(TimePoint now);
  /// nullopt: nothing to do until the next call.
  std::optional<TimePoint> next_tick(TimePoint now) const;

  /// To be asked after every call above. True: wake the revision now.
  bool wake_now(TimePoint now);

  std::int64_t waiting() const { return again_.count() + line_.count(); }
  std::int64_t in_flight() const { return in_flight_; }
  std::size_t ready() const { return ready_; }
  /// Nobody waits and nothing runs: may be destroyed.
  bool is_idle() const { return waiting() == 0 && in_flight_ == 0; }
  /// For a refused request.
  int retry_after_seconds(TimePoint now) const;
  const config::RevisionSettings& settings() const { return settings_; }
  const std::vector<std::unique_ptr<PodTracker>>& pods() const { return pods_; }

 private:
  friend class HeldRequest;
  bool refused_or_granted(HeldRequest& request, TimePoint now);
  HoldState wait(HeldRequest& request, proxy::WaitingLine& line, std::size_t bytes, TimePoint now);
  proxy::WaitingLine& next_line() { return again_.empty() ? line_ : again_; }
  void grant(HeldRequest& request, PodTracker& pod, TimePoint now);
  void dispatch(TimePoint now);
  void refuse_all(const Error& error);
  void forget_waking_if_nobody_waits();
  void forget_unlisted();
  std::optional<Error> reason_to_refuse() const;
  Error full(proxy::LineFull bound) const;
  Error too_old() const;
  std::string culprit() const { return "service " + revision_.text(); }

  RevisionId revision_;
  std::unique_ptr<PickPolicy> policy_;
  config::RevisionSettings settings_;
  proxy::WaitingLine again_;  // had a replica that failed: served before line_
  proxy::WaitingLine line_;
  std::vector<std::unique_ptr<PodTracker>> pods_;  // by name; unlisted ones while they still serve
  std::size_t ready_ = 0;                          // listed ones
  std::int64_t in_flight_ = 0;
  std::string trouble_;
  std::optional<Error> closed_;
  Activation activation_;
  std::optional<TimePoint> held_since_;  // first to wait while nothing was ready
  proxy::DrainRate drain_rate_;
};

}  // namespace bellows::activator
