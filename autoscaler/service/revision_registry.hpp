// One decider per listed revision: it takes stats and makes decisions.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autoscaler/core/activators/activator_names.hpp"
#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/journal.hpp"
#include "autoscaler/history/day_journal.hpp"
#include "autoscaler/history/saved_days.hpp"
#include "autoscaler/history/service_past.hpp"
#include "autoscaler/service/app_restarts.hpp"
#include "autoscaler/service/observed_revision.hpp"
#include "autoscaler/service/policy_observer.hpp"
#include "autoscaler/service/room_source.hpp"
#include "autoscaler/service/service_shares.hpp"
#include "autoscaler/service/slow_file.hpp"
#include "autoscaler/service/slow_learner.hpp"
#include "autoscaler/service/start_failures.hpp"
#include "autoscaler/service/state_file.hpp"
#include "autoscaler/service/state_log.hpp"
#include "base/ids.hpp"
#include "base/sys/clock.hpp"
#include "cluster/core/report.hpp"
#include "cluster/core/revision_list.hpp"
#include "config/reach.hpp"
#include "metrics/stat.hpp"

namespace bellows::autoscaler {

using cluster::ServingState;

/// The last report to the cluster about a revision. Its views refer to static names.
struct Told {
  /// The part that a user sees.
  struct Shown {
    ServingState serving{};
    PodCount desired = 0;
    Mode mode = Mode::kStable;
    std::string_view limited_by;
    bool is_load_known = true;
    std::string failure_message;
    std::vector<PodName> kept_away;
    std::vector<config::WithoutEffect> without_effect;
    std::optional<double> learned_target;

    bool operator==(const Shown&) const = default;
  };
  std::optional<Shown> shown;  ///< nullopt: no report yet
  TimePoint refresh_at;        ///< time of the next report of its learned state
};

/// One revision with all its state in the autoscaler.
struct ScaledRevision {
  ScaledRevision(cluster::RevisionPtr listed, Duration dead_after, TimePoint now);

  /// Sets the settings of later decisions, with the target of the slow brain if it sets one.
  void follow(const config::RevisionSettings& asked, TimePoint now);
  /// Lets the slow brain evaluate if that is due, and applies its advice. `share` is the revision's
  /// part of its service's requests.
  void use_learned(double share, TimePoint now);

  const RevisionId& id() const { return observed.listed().id; }
  ServingState serving_state() const;

  ObservedRevision observed;
  SettingsPtr settings;               // shared with the journal's decisions
  std::unique_ptr<SlowLearner> slow;  // null: slow-brain off
  ScalingSpec spec;                   // resolved from settings
  DeciderState state;
  Journal journal;
  std::unique_ptr<history::DayJournal> day;       // null: only the last decisions are kept
  std::array<std::uint64_t, kRules> decisions{};  // counts by the rule that set the number
  AppRestarts restarts;
  StartFailures failed_starts;
  Told told;               // by the listener of decisions
  Saved saved;             // by the same
  PodCount needed = 0;     // Outcome::needed of the last decision
  double demand = 0;       // its load in replicas, not rounded
  Duration period{};       // between two decisions
  std::uint64_t turn = 0;  // its number among those of that period
  TimePoint since;         // when it was listed, or when its known past begins
  bool is_new = true;      // it began without learned state
};

/// A revision without replicas and without a request since it was listed. Each decision about it
/// equals the one before, so none is made; this is their input.
struct Sleeper {
  cluster::RevisionPtr listed;
  SettingsPtr settings;
  TimePoint since;  ///< of its first decision
};

/// Receives every decision. The registry calls it on the io thread; it must not call back.
class DecisionListener {
 public:
  virtual ~DecisionListener() = default;
  virtual void decided(ScaledRevision& revision, const Decision& decision,
                       const Memory& before) = 0;
  /// Called when the cluster no longer lists the revision.
  virtual void removed(const RevisionId& revision) = 0;
};

struct RegistryCounters {
  std::uint64_t stats = 0;
  std::uint64_t triggers = 0;
  std::uint64_t unknown_revision = 0;  ///< stats and triggers of revisions that are not listed
};

/// Owner: the service. Thread: the io thread. Time comes from the given clock; tick() advances it,
/// in production every 100 ms.
class RevisionRegistry final : public metrics::StatSink {
 public:
  /// `clock` and `listener` outlive it. `saved` is the state file of a predecessor. Each listed
  /// revision has the state that a predecessor left in the cluster. The newer one counts.
  RevisionRegistry(const sys::Clock& clock, Duration dead_after, SavedStates saved,
                   DecisionListener& listener);

  /// Applies the cluster's whole list. A new revision is decided at once and then every 2 s, or at
  /// the period of its policies (PolicyList::period()). It inherits what the previous revision of
  /// its service has learned of the callers. A revision is also decided at once when it is retired,
  /// paused or resumed, and when another process has reduced its number, because a restarted owner
  /// of its replicas begins with none.
  void follow(const cluster::RevisionList& list);
  /// Applies only the revisions in `changes`; the others take no time.
  void follow(const cluster::RevisionList& list, const cluster::Changes& changes);

  /// Records a stat. The first load of a revision at zero is decided at once.
  void accept(const metrics::Stat& stat) override;
  /// Records a trigger, likewise.
  void accept(const metrics::ScaleFromZeroTrigger& trigger) override;

  /// Makes the decisions that are due.
  void tick();

  /// Returns the revisions that are awake.
  const std::map<RevisionId, std::unique_ptr<ScaledRevision>>& revisions() const {
    return revisions_;
  }
  /// Returns the number of listed revisions.
  std::size_t size() const { return revisions_.size() + asleep_.size(); }
  /// Calls `visit` with the id and the revision of all that are listed, by id. A sleeping revision
  /// has no day, and its last decision is as old as that of another one with these settings.
  template <class F>
  void for_each(F&& visit) const {
    auto awake = revisions_.begin();
    for (auto asleep = asleep_.begin(); asleep != asleep_.end(); ++asleep) {
      for (; awake != revisions_.end() && awake->first < asleep->first; ++awake) {
        visit(awake->first, std::as_const(*awake->second));
      }
      visit(asleep->first, outline_of(asleep->second));
    }
    for (; awake != revisions_.end(); ++awake) visit(awake->first, std::as_const(*awake->second));
  }
  /// Returns nullptr for a revision that is not listed. A sleeping revision is valid until the next
  /// call or the next change.
  const ScaledRevision* find(const RevisionId& id) const;
  /// Returns the same, but nullptr for a sleeping revision too.
  const ScaledRevision* find_awake(const RevisionId& id) const { return known(id); }
  /// Returns the past of a service; nullptr: there is none of that name, or the cluster has no
  /// services of several revisions.
  const history::ServicePast* past_of(const RevisionId& service) const {
    return pasts_.find(service);
  }
  /// Returns the service of a revision that is no longer listed, while days of it are kept.
  std::optional<RevisionId> service_of_removed(const RevisionId& revision) const {
    return pasts_.service_of_removed(revision);
  }
  const RegistryCounters& counters() const { return counters_; }

  /// Sets the source of webhooks' answers, which outlives the registry. Without it there are none.
  void use(const WebhookAnswers& answers) { answers_ = &answers; }

  /// Sets the source of the machine's room, which outlives the registry. Without it room is
  /// unlimited.
  void use(RoomSource& room) { room_ = &room; }

  /// Keeps the decisions of the last day too, in `limit` of memory for all revisions together. Call
  /// it before the first list.
  void keep_days(Bytes limit) { day_limit_ = limit; }

  /// Takes the days of a predecessor. Call it before the first list. Those of a revision that is
  /// not in that list are of a removed one.
  void restore_days(history::SavedDays saved);
  /// Returns the days for a successor, with the blocks that have decisions from `since` on. They
  /// share what is packed, so another thread may write them.
  history::SavedDays days(TimePoint since) const;
  /// Returns how often a revision became one that cannot start, or no longer is one.
  std::uint64_t start_news() const { return start_news_; }
  /// Returns the ends of the processes whose days were restored, oldest first.
  const std::vector<journal::ProcessEnd>& ends() const { return ends_; }

  /// Lets revisions sleep, because nearly all of thousands of services are at zero without callers.
  /// The listener does not receive their decisions, so the cluster must be one that needs no
  /// reports. Call it before the first list.
  void let_sleep() { lets_sleep_ = true; }

  /// Takes the learned states of a predecessor's slow brains. Call it before the first list.
  void resume_slow(SlowStates states) { slow_saved_ = std::move(states); }
  /// Returns the learned states of the slow brains.
  SlowStates slow_states() const;

 private:
  void check_activator_name(const PodName& name, std::uint64_t boot);
  struct Due {
    TimePoint at;
    ScaledRevision* revision;  // nullptr: it was removed
  };
  /// The revisions of one period, in order of time but for less than a tick: each entry is appended
  /// one period ahead. The entry with turn t is at position t - first, so that a removed revision
  /// is found without a search.
  struct Turns {
    std::deque<Due> due;
    std::uint64_t first = 0;
  };

  void follow(const cluster::RevisionList& list, const RevisionId& id);
  void count_shares(const cluster::RevisionList& list, const std::vector<RevisionId>& ids);
  std::optional<SavedState> take_saved(const cluster::Revision& listed);
  void add(const cluster::RevisionPtr& listed);
  void begin_day(ScaledRevision& revision);
  void restore_failed_starts(ScaledRevision& revision);
  void restore_changes(const RevisionId& service, TimePoint at);
  void keep_saved_days();
  DeciderState first_state(ScaledRevision& revision, const Observation& seen, TimePoint now);
  void update(ScaledRevision& revision, const cluster::RevisionPtr& listed);
  void update(std::map<RevisionId, Sleeper>::iterator sleeper, const cluster::RevisionPtr& listed);
  bool falls_asleep(const ScaledRevision& revision);
  ScaledRevision* wake(std::map<RevisionId, Sleeper>::iterator sleeper);
  ScaledRevision* awake(const RevisionId& id);
  std::unique_ptr<ScaledRevision> as_awake(const Sleeper& sleeper, bool keeps_day) const;
  const ScaledRevision& outline_of(const Sleeper& sleeper) const;
  Decision decide_on(ScaledRevision& revision, const Observation& seen, TimePoint now) const;
  void remove(const RevisionId& id);
  Duration spread(TimePoint now);
  void schedule(ScaledRevision& revision, TimePoint from);
  void unschedule(const ScaledRevision& revision);
  void take_turns(Turns& turns, TimePoint now);
  ScaledRevision* known(const RevisionId& id) const;
  void decide_now(ScaledRevision& revision);
  Observation look_at(ScaledRevision& revision, TimePoint now) const;
  Observation observe(ScaledRevision& revision, TimePoint now) const;

  Bytes day_limit() const;

  const sys::Clock& clock_;
  Duration dead_after_;
  SavedStates saved_;
  SlowStates slow_saved_;
  history::SavedDays saved_days_;  // until the first list
  std::vector<journal::ProcessEnd> ends_;
  std::uint64_t start_news_ = 0;
  DecisionListener& listener_;
  std::map<RevisionId, std::unique_ptr<ScaledRevision>> revisions_;  // that are awake
  std::map<RevisionId, Sleeper> asleep_;
  mutable std::unique_ptr<ScaledRevision> looked_at_;  // the sleeper of the last find()
  // One sleeper with these settings as it would be awake; it represents all of them.
  mutable std::map<SettingsPtr, std::unique_ptr<ScaledRevision>> outlines_;
  // The awake revisions by name, for stats: one lookup in a flat table. The keys are those of
  // revisions_.
  boost::unordered_flat_map<std::string_view, ScaledRevision*> by_name_;
  // The revision of each service that was listed last.
  std::map<RevisionId, RevisionId> newest_of_;
  ServiceShares shares_;
  history::ServicePasts pasts_;
  std::map<Duration, Turns> turns_;  // by period, of which there are few
  TimePoint listed_at_;              // of the newest revision
  std::size_t listed_together_ = 0;  // at that time
  bool lets_sleep_ = false;
  ActivatorNames activator_names_;
  const WebhookAnswers* answers_ = nullptr;
  RoomSource* room_ = nullptr;
  Bytes day_limit_;  // of all revisions; 0: no days are kept
  RegistryCounters counters_;
};

}  // namespace bellows::autoscaler
