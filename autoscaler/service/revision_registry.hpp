// One decider per revision that the cluster lists: stats in, decisions out.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "autoscaler/core/activator_names.hpp"
#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/journal.hpp"
#include "autoscaler/service/observed_revision.hpp"
#include "autoscaler/service/state_file.hpp"
#include "base/ids.hpp"
#include "base/sys/clock.hpp"
#include "cluster/api.hpp"
#include "metrics/stat.hpp"

namespace bellows::autoscaler {

/// Seed: Active = scaled and served; Reserve = at zero, traffic waits at the activator; Retired =
/// serves nothing any more.
enum class ServingState : std::uint8_t {
  kActive,   ///< -> kReserve, kRetired
  kReserve,  ///< -> kActive, kRetired
  kRetired,  ///< stays
};
std::string_view to_string(ServingState state);

/// One revision with everything the autoscaler keeps about it.
struct ScaledRevision {
  ScaledRevision(std::shared_ptr<const cluster::Revision> listed, Duration dead_after);

  /// Decisions rest on these settings from now on.
  void follow(const config::RevisionSettings& asked);

  const RevisionId& id() const { return observed.listed().id; }
  ServingState serving_state() const;

  ObservedRevision observed;
  SettingsPtr settings;  // shared with the journal's decisions
  ScalingSpec spec;      // what they resolve to
  DeciderState state;
  Journal journal;
  std::array<std::uint64_t, kRules> decisions{};  // taken so far, by the rule that set the number
};

/// Hears of every decision. Called on the io thread, from inside the registry: it does not call
/// back.
class DecisionListener {
 public:
  virtual ~DecisionListener() = default;
  virtual void decided(const ScaledRevision& revision, const Decision& decision,
                       const Memory& before) = 0;
  /// The cluster does not list it any more.
  virtual void gone(const RevisionId& revision) = 0;
};

struct RegistryCounters {
  std::uint64_t stats = 0;
  std::uint64_t wakes = 0;
  std::uint64_t unknown_revision = 0;  ///< stats and wakes of revisions that are not listed
};

/// Owner: the service. Thread: the io thread. Time comes from the clock it is given; it is moved by
/// tick(), which production calls every 100 ms.
class RevisionRegistry final : public metrics::StatSink {
 public:
  /// `clock` and `listener` outlive it. `saved` is what a predecessor left.
  RevisionRegistry(const sys::Clock& clock, Duration dead_after, SavedStates saved,
                   DecisionListener& listener);

  /// Takes over the cluster's list. A revision it did not know is decided at once and then every
  /// 2 s; one that is retired now is decided at once.
  void follow(const cluster::Snapshot& snapshot);

  /// Books it. The first load of a revision at zero is decided at once.
  void accept(const metrics::Stat& stat) override;
  /// The same.
  void accept(const metrics::Wake& wake) override;

  /// Decides every revision that is due.
  void tick();

  const std::map<RevisionId, std::unique_ptr<ScaledRevision>>& revisions() const {
    return revisions_;
  }
  /// nullptr: not listed.
  const ScaledRevision* find(const RevisionId& id) const;
  const RegistryCounters& counters() const { return counters_; }

  /// What a successor needs, as of now.
  SavedStates states() const;

 private:
  void hear_activator(const PodName& name, std::uint64_t boot);
  struct Due {
    TimePoint at;
    ScaledRevision* revision;
  };

  void add(const std::shared_ptr<const cluster::Revision>& listed);
  void update(ScaledRevision& revision, const std::shared_ptr<const cluster::Revision>& listed);
  void drop_unlisted(const cluster::Snapshot& snapshot);
  ScaledRevision* known(const RevisionId& id) const;
  void decide_now(ScaledRevision& revision);

  const sys::Clock& clock_;
  Duration dead_after_;
  SavedStates saved_;
  DecisionListener& listener_;
  std::map<RevisionId, std::unique_ptr<ScaledRevision>> revisions_;
  // The same, for stats: one look at a flat table instead of a walk down the names. Keys are those
  // of revisions_.
  boost::unordered_flat_map<std::string_view, ScaledRevision*> by_name_;
  std::deque<Due> due_;  // in order of time: every entry is appended one period ahead
  ActivatorNames activator_names_;
  RegistryCounters counters_;
};

}  // namespace bellows::autoscaler
