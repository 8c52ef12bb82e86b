// Changes the shares of services after the replicas that take requests are ready.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/sys/clock.hpp"
#include "machine/core/rollout.hpp"
#include "machine/core/service_record.hpp"
#include "machine/service/revision_placer.hpp"
#include "machine/service/service_order.hpp"
#include "machine/service/service_store.hpp"

namespace bellows::machine {

/// One change of shares, under way or ended.
struct RunningRollout {
  Rollout rollout;
  ServiceRecord next;                        ///< after it
  std::vector<RevisionId> listed = {};       ///< by this rollout; removed if it fails
  std::vector<std::string> last_lines = {};  ///< of the app that failed
  /// The service takes requests since this order, which a failure undoes.
  bool is_addition = false;
  std::optional<ServiceRecord> before_addition = {};  ///< nullopt: there was none
  /// The service before its shares changed, while a revision in place starts.
  std::optional<ServiceRecord> before_switch = {};
};

/// Runs rollouts. The state file has a rollout before its first replica starts, and its shares
/// before they take effect. Owner: a Deployer. Thread: the io thread.
class RolloutRunner {
 public:
  /// All of them outlive it. `keep_revisions`: revisions without a share that each service keeps.
  RolloutRunner(ServiceStore& store, RevisionPlacer& placer, const sys::Clock& clock,
                std::int32_t keep_revisions)
      : store_(store), placer_(placer), clock_(clock), keep_revisions_(keep_revisions) {}
  RolloutRunner(const RolloutRunner&) = delete;
  RolloutRunner& operator=(const RolloutRunner&) = delete;

  /// Starts a rollout to `next`, the wanted service apart from its shares. No rollout of the
  /// service may run. An error undoes what it started.
  Result<void> begin(ServiceRecord next, const Shares& shares, const ServiceOrder& order);
  /// Starts the proof of a service that was just added and takes requests already: they wait for
  /// its first replica. If that does not become ready the service is removed, or is `before` again.
  Result<void> begin_addition(ServiceRecord added, std::optional<ServiceRecord> before,
                              const ServiceOrder& order);
  /// Ends the running rollout, if any; the shares stay unchanged.
  void end(const RevisionId& service, const std::string& why);
  /// Deletes the rollout of a removed service.
  void forget(const RevisionId& service) { running_.erase(service); }

  /// Changes the shares where all needed replicas are ready. Call it often while has_work().
  void look();
  bool has_work() const;

  /// Returns the last one of a service. nullptr: there was none.
  const RunningRollout* find(const RevisionId& service) const;
  bool is_under_way(const RevisionId& service) const;
  /// Returns the last one of each service, by its name.
  const std::map<RevisionId, RunningRollout>& all() const { return running_; }

 private:
  RolloutPlan plan_of(const ServiceRecord& next, const Shares& shares,
                      const ServiceOrder& order) const;
  Result<void> note_under_way(const RunningRollout& running);
  Result<void> prepare(RunningRollout& running);
  Result<void> start(RunningRollout running, const ServiceOrder& order);
  void undo(const RunningRollout& running);
  void undo_addition(const RunningRollout& running);
  void remove_listed(const RunningRollout& running);
  void look(RunningRollout& running);
  void switch_over(RunningRollout& running);
  void give_up(RunningRollout& running);
  void prove(RunningRollout& running);
  void return_to(const ServiceRecord& before, const RunningRollout& running);
  ServiceRecord after_failure(const RunningRollout& running, const ServiceRecord& now) const;

  ServiceStore& store_;
  RevisionPlacer& placer_;
  const sys::Clock& clock_;
  const std::int32_t keep_revisions_;
  std::map<RevisionId, RunningRollout> running_;  // by service; the last one of each
};

}  // namespace bellows::machine
