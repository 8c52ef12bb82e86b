// How many requests a replica without a limit of its own gets while others are about to start.
#pragma once

#include <cstdint>
#include <optional>

#include "activator/core/outlier_detector.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "config/revision_settings.hpp"

namespace bellows::activator {

/// Of total_target(). Less would keep callers from a replica that could serve them; more is what no
/// replica is planned for.
inline constexpr double kFillFactor = 2;
/// Waiting this long for a replica that starts is worse than a place in one that is full.
inline constexpr Duration kStartPatience = std::chrono::seconds(10);
/// The same if none starts: the autoscaler decides every 2 s.
inline constexpr Duration kOrderPatience = std::chrono::seconds(3);
/// After a vain wait there is no limit for this long.
inline constexpr Duration kLiftedTime = std::chrono::minutes(1);
/// Replicas whose requests take this many times as long as usual are full.
inline constexpr double kSlow = 2;
/// A burst is over when for this long no request has waited and no replica has started. Longer than
/// the first pause of TCP before it sends again what a backlog dropped (1 s, RFC 6298).
inline constexpr Duration kCalmTime = std::chrono::milliseconds(1500);
/// After a replica failed while it was full, nothing beyond kFillFactor is tried for this long.
inline constexpr Duration kCaution = std::chrono::minutes(10);

/// Without container-concurrency the first replica that is ready would get all requests of a burst,
/// although the others of its scale-up are ready milliseconds later; most apps accept few
/// connections at once and let the rest hang (a backlog of 5 in Python's http.server). So a
/// replica is filled to kFillFactor times its target, and the rest waits: while replicas start, or
/// until the autoscaler had time to order some. At max-scale with all replicas ready there is no
/// limit, unless it is learned: the queue of a burst at once would be more than they bear. Profile
/// bellows with load balancing least-loaded only: the others are Knative's.
///
/// Most apps take more, and their callers would wait for nothing. So the limit is where a slow
/// start begins: what a replica was seen to serve at the usual speed counts as a target. Replicas
/// that fail or slow down while they are full end that. A target that the slow brain has learned
/// knows more than their speed, as memory: nothing counts beside it.
///
/// With neither container-concurrency nor a target nobody said what a replica takes. There the
/// limit holds until replicas have answered some requests, and while they are slow when full or
/// failed: callers of replicas that serve do not wait for others to start.
///
/// What is seen of replicas during a burst counts after it, or when its wait was vain: the first
/// responses come within milliseconds, while other requests of the same burst hang in a backlog. A
/// burst lasts while requests wait or replicas start, and kCalmTime beyond that. What ends the
/// trust counts at once.
/// Owner: a RevisionThrottler. Pure.
class FillLimit {
 public:
  /// `requested`: replicas that the cluster was last asked for; `ready` of them. `learned_target`:
  /// in place of total_target().
  void update(const config::RevisionSettings& settings, PodCount requested, PodCount ready,
              std::optional<double> learned_target = {});

  /// A request ended `took` after its replica got it, as the `load`-th one there.
  void record(std::int32_t load, Duration took, PodOutcome outcome, TimePoint now);

  /// The slots of each replica; 0 = no limit. `is_waiting`: a request waits although a replica is
  /// ready. Call it after every change and at next_change().
  std::int32_t slots(bool is_waiting, TimePoint now);

  /// When slots() may change as time passes.
  std::optional<TimePoint> next_change() const;

 private:
  /// How long requests took of late. Those that a full replica has at once end in the order of
  /// their length, so it is a mean over as many.
  class RecentSeconds {
   public:
    void add(double seconds, std::int32_t load);
    double mean() const { return mean_; }  ///< 0: unknown
    bool is_of_many() const { return requests_ >= kFewest; }

   private:
    static constexpr double kFewest = 20;
    double mean_ = 0;
    double requests_ = 0;  // that it is a mean of
  };

  /// What replicas have proved.
  struct Proof {
    std::int32_t served = 0;    ///< the most that one was seen to serve; 0: none was full yet
    bool has_answered = false;  ///< some requests
  };

  std::int32_t most() const;
  bool is_slow() const;
  bool serves_what_comes(TimePoint now) const;
  void record_response(double seconds, std::int32_t load);
  void trust(bool is_waiting, TimePoint now);

  std::int32_t limit_ = 0;   // by the settings
  std::int32_t served_ = 0;  // Proof::served, as seen until now
  Proof trusted_;            // what counts of it
  RecentSeconds usual_;      // at a replica that is not full
  RecentSeconds full_;       // at one that is
  std::optional<TimePoint> careful_until_;
  bool is_learned_ = false;  // limit_, by the slow brain
  bool is_default_ = false;  // limit_: no target is set
  bool is_starting_ = false;
  bool may_grow_ = false;
  std::optional<TimePoint> burst_since_;
  std::optional<TimePoint> calm_since_;  // nothing: a request waits, or a replica starts
  std::optional<TimePoint> waits_since_;
  std::optional<TimePoint> lifted_until_;
};

}  // namespace bellows::activator
