// Changes the shares of a service once the replicas that take requests are ready. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "machine/core/service_record.hpp"

namespace bellows::machine {

/// Determines how many replicas of a revision have to be ready before it gets its share.
struct Takeover {
  PodCount serving = 0;  ///< ready replicas of the service now, all revisions together
  /// Replicas that its load needs, a fraction; nullopt: not known, `serving` is taken for it.
  std::optional<double> demand = std::nullopt;
  std::int32_t share = 100;  ///< of the revision, percent
  PodCount max_scale = 0;    ///< of the revision; 0: none
  /// The revision needs no proof by a start, because the order excludes it or an earlier start was
  /// one. Only for a service at zero.
  bool is_proven = false;
};
PodCount replicas_for(const Takeover& takeover);

/// The stages of a rollout. Each lists the stages that may follow.
enum class Stage : std::uint8_t {
  kStarting,  ///< replicas start, the shares are the old ones  -> kReady, kFailed
  kReady,     ///< all needed replicas are ready: the shares may change -> kDone, kProving, kFailed
  kProving,   ///< the new shares are in force, the revision in place starts -> kDone, kFailed
  kDone,      ///< the new shares are in force  (end)
  kFailed,    ///< the old shares stay, or are in force again  (end)
};
std::string_view to_string(Stage stage);

/// The plan of a rollout.
struct RolloutPlan {
  RevisionId service;
  std::string cause;                  ///< "deploy", "rollback", "split", "settings file"
  Shares shares;                      ///< after it
  std::map<Number, PodCount> needed;  ///< ready replicas by revision; 0: it need not start
  /// It starts when the shares have changed, because the port of its app is taken until then.
  std::optional<Number> in_place = std::nullopt;
  Duration progress_deadline{};  ///< for all of them
};

/// The state of one revision in the cluster.
struct RevisionSeen {
  PodCount ready = 0;
  std::string failure = {};    ///< why no replica becomes ready; empty: no failure
  std::string not_ready = {};  ///< why one is not ready yet; empty: not known
};
using Seen = std::map<Number, RevisionSeen>;

/// One change of a service's shares. Owner: the caller that carries it out. It starts the replicas,
/// changes the shares at kReady and calls done(); at kFailed it changes nothing, or it changes the
/// shares back if it has called done().
class Rollout {
 public:
  Rollout(RolloutPlan plan, TimePoint now);

  /// Looks at the replicas; call it when they change and at the deadline. Returns the stage.
  Stage look(const Seen& seen, TimePoint now);
  /// Records that the shares are in force. Only in stage kReady. A revision in place is followed
  /// until it is ready.
  void done(TimePoint now);
  /// Ends it as failed. Not after the end.
  void fail(std::string why, TimePoint now);

  Stage stage() const { return stage_; }
  bool is_over() const { return stage_ == Stage::kDone || stage_ == Stage::kFailed; }
  const RolloutPlan& plan() const { return plan_; }
  /// Returns "web-00002: 1 of 3 replicas ready", with the reason if it is known, or the reason of
  /// its failure; one line.
  const std::string& message() const { return message_; }
  TimePoint began() const { return began_; }
  TimePoint deadline() const { return began_ + plan_.progress_deadline; }
  /// Returns the time from its start to its end, or to `now`.
  Duration took(TimePoint now) const { return (is_over() ? ended_ : now) - began_; }

 private:
  std::string progress(const Seen& seen) const;
  bool is_waited_for(Number number) const;

  RolloutPlan plan_;
  TimePoint began_;
  TimePoint ended_{};
  Stage stage_ = Stage::kStarting;
  std::string message_;
};

/// Returns the settings for the cluster: at least `floor` replicas while a revision takes over, and
/// no minimum for a revision without a share.
config::RevisionSettings settings_in_force(config::RevisionSettings settings, std::int32_t share,
                                           PodCount floor);

/// A revision that has lost its share stays until its last request has ended.
struct Leaving {
  RevisionId service;
  TimePoint since;
  Duration at_most{};  ///< then the drain of its replicas ends the remaining requests

  bool is_over(bool has_requests, TimePoint now) const {
    return !has_requests || now >= since + at_most;
  }
};

}  // namespace bellows::machine
