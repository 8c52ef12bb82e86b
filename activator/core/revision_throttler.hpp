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
#include "activator/core/replica_word.hpp"
#include "activator/core/slot_share.hpp"
#include "base/ids.hpp"
#include "base/random.hpp"
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
  /// Set: replicas are reached through this address only, which spreads by itself (a cluster IP).
  std::optional<Endpoint> shared_address{};
  /// The policies of Knative keep to their slice; least-loaded sees all replicas and what others do
  /// there, and takes its slice first among equals.
  ActivatorShare share{};
};

/// A replica that is to be asked whether it takes requests again.
struct ProbeOrder {
  PodName replica;
  Endpoint address;
};

/// Strict FIFO: a request gets a replica when every earlier one has got or given up its own, and
/// only a replica with a free slot (late binding): the slots of a replica are never exceeded, and a
/// slot that is known to be free never stays so while somebody waits. Bounded by count, bytes and
/// age (queue-depth, queue-bytes, queue-age, and revision-timeout if that is shorter). A request
/// costs O(replicas) and no allocation unless it is refused.
///
/// Revision in trouble and nothing ready: those who wait and those who come are refused with the
/// trouble's text (kUnavailable) instead of waiting for a replica that will not come.
/// A replica that failed takes nothing until a probe of it has been answered; requests wait for
/// that, within the bounds of the queue, if no other is left: it may come back, or others come.
/// Owner: the router. Outlives its requests. Pure: instants come in.
class RevisionThrottler {
 public:
  /// `random` outlives it.
  RevisionThrottler(RevisionId revision, Random& random);

  const RevisionId& revision() const { return revision_; }

  /// Asks for a replica. Afterwards request.state() is kGranted, kWaiting, or kRefused with
  /// kOverloaded (a bound of the queue), kUnavailable (trouble), or the error of close().
  /// `bytes`: memory it holds while it waits.
  HoldState enter(HeldRequest& request, std::size_t bytes, TimePoint now);

  /// Asks for another replica after the granted one failed and was released: ahead of all that have
  /// not had their turn yet, in the order in which they first came, outside of the bounds of count
  /// and bytes (it was let in once). Its queue-age counts from here, revision-timeout from its
  /// first coming. A replica that was silent to it gets it again only if no other one can take it.
  HoldState enter_again(HeldRequest& request, std::size_t bytes, TimePoint now);

  /// The caller hung up: out of the line, or the slot back. Nothing to do in other states.
  void leave(HeldRequest& request, TimePoint now);

  /// The replica of a granted request has begun to answer, and perhaps told how many requests it
  /// runs or holds, or that its app failed.
  void answered(const HeldRequest& request, const ReplicaWord& word, TimePoint now);

  /// A granted request has ended: its slot goes to the first in line. True: the replica was set
  /// aside because of it. That one replica was silent twice to one request says no more than once,
  /// and silence of the last one that is trusted says nothing: nobody else would serve instead.
  bool release(HeldRequest& request, PodOutcome outcome, TimePoint now);

  /// The cluster's newest word. A revision that was closed serves again.
  void update(const RevisionView& view, TimePoint now);

  /// The revision is gone: everybody is refused with `error`, until the cluster says otherwise;
  /// what runs, ends.
  void close(Error error);

  /// The probes that are due. Each is answered for with probe_ended(), unless the throttler is
  /// gone.
  std::vector<ProbeOrder> due_probes(TimePoint now);
  /// True if the replica is back because of it.
  bool probe_ended(const PodName& replica, bool has_answered, TimePoint now);

  /// Refuses who has waited too long and serves whom what others do no longer holds up; to be
  /// called at next_tick(), due_probes() behind it.
  void tick(TimePoint now);
  /// nullopt: nothing to do until the next call.
  std::optional<TimePoint> next_tick(TimePoint now) const;

  /// To be asked after every call above. True: wake the revision now.
  bool wake_now(TimePoint now);
  /// For how long somebody has waited for a revision that was woken and does not come.
  Duration woken_for(TimePoint now) const { return activation_.woken_for(now); }

  std::int64_t waiting() const { return again_.count() + line_.count(); }
  std::int64_t in_flight() const { return in_flight_; }
  std::size_t ready() const { return ready_; }
  /// Replicas set aside.
  std::size_t set_aside() const { return set_aside_; }
  /// Nobody waits and nobody is set aside: time brings nothing.
  bool is_quiet() const { return waiting() == 0 && set_aside_ == 0; }
  /// Nobody waits and nothing runs.
  bool is_idle() const { return waiting() == 0 && in_flight_ == 0; }
  /// Why every request is refused right now, if it is: trouble with nothing ready, or close().
  std::optional<Error> reason_to_refuse() const;
  /// For a refused request.
  int retry_after_seconds(TimePoint now) const;
  const config::RevisionSettings& settings() const { return settings_; }
  const std::vector<std::unique_ptr<PodTracker>>& pods() const { return pods_; }

 private:
  friend class HeldRequest;
  bool refused_or_granted(HeldRequest& request, TimePoint now);
  HoldState wait(HeldRequest& request, proxy::WaitingLine& line, std::size_t bytes, TimePoint now);
  proxy::WaitingLine& next_line() { return again_.empty() ? line_ : again_; }
  PodTracker* pick_for(const HeldRequest& request, TimePoint now);
  void grant(HeldRequest& request, PodTracker& pod, TimePoint now);
  void dispatch(TimePoint now);
  void refuse_all(const Error& error);
  void forget_waking_if_nobody_waits();
  void take_settings(const RevisionView& view);
  void take_replicas(const std::vector<ReplicaView>& listed, std::int32_t slots);
  void assign_slice(ActivatorShare share);
  void count_set_aside();
  bool all_set_aside() const { return set_aside_ > 0 && !any_trusted_; }
  bool is_last_trusted(const PodTracker& pod) const;
  void forget_unlisted();
  Error full(proxy::LineFull bound) const;
  Error too_old() const;
  Error too_old_again() const;
  Error too_late_again() const;
  std::string culprit() const { return "service " + revision_.text(); }

  RevisionId revision_;
  Random& random_;
  config::RevisionSettings settings_;
  std::unique_ptr<PickPolicy> policy_;  // of the settings
  proxy::WaitingLine again_;            // had a replica that failed: served before line_
  proxy::WaitingLine again_ages_;       // the same requests, by when they came again
  proxy::WaitingLine line_;
  std::vector<std::unique_ptr<PodTracker>> pods_;  // by name; unlisted ones while they still serve
  std::size_t ready_ = 0;                          // listed ones
  std::size_t set_aside_ = 0;                      // of those this activator would use
  bool any_trusted_ = false;                       // of them
  std::int64_t in_flight_ = 0;
  std::string trouble_;
  std::optional<Error> closed_;
  Activation activation_;
  std::optional<TimePoint> held_since_;  // first to wait while nothing was ready
  proxy::DrainRate drain_rate_;
};

}  // namespace bellows::activator
