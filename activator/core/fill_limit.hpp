// Limits the requests at a replica without a limit of its own while others are about to start.
#pragma once

#include <cstdint>
#include <optional>

#include "activator/core/outlier_detector.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "config/revision_settings.hpp"

namespace bellows::activator {

/// Factor of total_target(). A smaller one would keep callers from a replica that could serve them;
/// a larger one is more than any replica is planned for.
inline constexpr double kFillFactor = 2;
/// Maximum wait for a replica that starts: a longer one is worse than a place in a full replica.
inline constexpr Duration kStartPatience = std::chrono::seconds(10);
/// Maximum wait if none starts: the autoscaler decides every 2 s.
inline constexpr Duration kOrderPatience = std::chrono::seconds(3);
/// Time without a limit after a futile wait.
inline constexpr Duration kLiftedTime = std::chrono::minutes(1);
/// Replicas whose requests take this many times as long as usual are full.
inline constexpr double kSlow = 2;
/// A burst is over when no request has waited and no replica has started for this time. It is
/// longer than the first retransmission timeout of TCP (1 s, RFC 6298), after which packets dropped
/// by a backlog are sent again.
inline constexpr Duration kCalmTime = std::chrono::milliseconds(1500);
/// Time for which the limit stays at kFillFactor after a replica failed while it was full.
inline constexpr Duration kCaution = std::chrono::minutes(10);

/// Without a hard limit the first ready replica would get all requests of a burst,
/// although the others of its scale-up are ready milliseconds later. Most apps accept few
/// connections at once and let the rest hang (a backlog of 5 in Python's http.server). Therefore a
/// replica is filled to kFillFactor times its target, and the rest waits while replicas start, or
/// until the autoscaler had time to order some. At max-scale with all replicas ready there is no
/// limit, unless the target is learned, because the queue of a burst at once would be too long for
/// them. This applies to profile bellows with load balancing least-loaded only: the other policies
/// are Knative's.
///
/// Most apps take more, and their callers would wait needlessly. Therefore the limit grows as in a
/// slow start: the load that a replica has served at the usual speed counts as a target. Replicas
/// that fail or slow down while they are full end that. A target that the slow brain has learned
/// takes precedence, because it considers more than speed, such as memory.
///
/// With neither a hard limit nor a target the capacity of a replica is unknown. Then the
/// limit applies until replicas have answered some requests, and while they are slow when full or
/// have failed, so that callers of working replicas do not wait for others to start.
///
/// Observations during a burst count after it, or when its wait was futile, because the first
/// responses arrive within milliseconds while other requests of the same burst hang in a backlog. A
/// burst lasts while requests wait or replicas start, and kCalmTime beyond that. Observations that
/// end the trust count at once.
///
/// Owner: a RevisionThrottler. Pure.
class FillLimit {
 public:
  /// Sets the settings and state. `requested` is the last order of replicas to the cluster, of
  /// which `ready` are ready. `learned_target` replaces total_target().
  void update(const config::RevisionSettings& settings, PodCount requested, PodCount ready,
              std::optional<double> learned_target = {});

  /// Records a request that ended `took` after its replica got it, as the `load`-th one there.
  void record(std::int32_t load, Duration took, PodOutcome outcome, TimePoint now);

  /// Returns the slots of each replica; 0 = no limit. `is_waiting`: a request waits although a
  /// replica is ready. Call it after every change and at next_change().
  std::int32_t slots(bool is_waiting, TimePoint now);

  /// Returns when slots() may change as time passes.
  std::optional<TimePoint> next_change() const;

 private:
  /// Mean of recent request durations. Simultaneous requests of a full replica end in the order of
  /// their duration, so the mean covers at least as many requests.
  class RecentSeconds {
   public:
    void add(double seconds, std::int32_t load);
    double mean() const { return mean_; }  ///< 0: unknown
    bool is_of_many() const { return requests_ >= kFewest; }

   private:
    static constexpr double kFewest = 20;
    double mean_ = 0;
    double requests_ = 0;  // number of requests in the mean
  };

  /// Proven capacity of replicas.
  struct Proof {
    std::int32_t served = 0;    ///< maximum that one has served; 0: none was full yet
    bool has_answered = false;  ///< answered some requests
  };

  std::int32_t most() const;
  bool is_slow() const;
  bool serves_what_comes(TimePoint now) const;
  void record_response(double seconds, std::int32_t load);
  void trust(bool is_waiting, TimePoint now);

  std::int32_t limit_ = 0;   // from the settings
  std::int32_t served_ = 0;  // latest value of Proof::served
  Proof trusted_;            // the part that counts
  RecentSeconds usual_;      // at replicas that are not full
  RecentSeconds full_;       // at full replicas
  std::optional<TimePoint> careful_until_;
  bool is_learned_ = false;  // limit_ is from the slow brain
  bool is_default_ = false;  // limit_ without a configured target
  bool is_starting_ = false;
  bool may_grow_ = false;
  std::optional<TimePoint> burst_since_;
  std::optional<TimePoint> calm_since_;  // empty while a request waits or a replica starts
  std::optional<TimePoint> waits_since_;
  std::optional<TimePoint> lifted_until_;
};

}  // namespace bellows::activator
