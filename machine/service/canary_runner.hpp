// Deploys by steps: the shares of a revision grow, or roll back.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/sys/clock.hpp"
#include "machine/core/canary.hpp"
#include "machine/core/service_record.hpp"
#include "machine/service/rollout_runner.hpp"
#include "machine/service/service_order.hpp"
#include "machine/service/service_store.hpp"

namespace bellows::machine {

/// One canary, under way or ended.
struct RunningCanary {
  Canary canary;
  Number number;  ///< of the revision under test
  Shares before;  ///< the shares to which it rolls back
  TimePoint began;
  std::optional<TimePoint> ended = {};
  TimePoint try_again_at{};  ///< if it could not roll back
};

/// Each step is a rollout. Owner: a Deployer. Thread: the io thread.
class CanaryRunner {
 public:
  /// Returns the results of a revision until now; from then on requests that take longer than
  /// `slow` count as slow.
  using ServedSoFar = std::function<Served(const RevisionId&, Duration slow)>;

  /// All of them outlive it.
  CanaryRunner(ServiceStore& store, RolloutRunner& rollouts, const sys::Clock& clock,
               ServedSoFar served)
      : store_(store), rollouts_(rollouts), clock_(clock), served_(std::move(served)) {}
  CanaryRunner(const CanaryRunner&) = delete;
  CanaryRunner& operator=(const CanaryRunner&) = delete;

  /// Starts a canary. `next`: the service with the revision `number`, and its present shares.
  Result<void> begin(ServiceRecord next, Number number, const ServiceOrder& order);
  /// Ends the running canary. Returns true if a rollout to the previous shares has started.
  Result<bool> roll_back(const RevisionId& service, const ServiceOrder& order);
  /// Deletes the canary of a service that got another order or was removed.
  void forget(const RevisionId& service) { runs_.erase(service); }

  /// Continues canaries, or rolls them back. The caller calls it after RolloutRunner::look(), and
  /// often while has_work().
  void look();
  bool has_work() const;

  /// Returns the last one, until another order. nullptr: there was none.
  const RunningCanary* find(const RevisionId& service) const;
  /// Returns nullptr if none runs.
  const RunningCanary* under_way(const RevisionId& service) const;

 private:
  void look(const RevisionId& service, RunningCanary& run);
  bool has_to_go_back(const RevisionId& service, const RunningCanary& run) const;
  void go_back_again(const RevisionId& service, RunningCanary& run);
  void shift(const RevisionId& service, RunningCanary& run);
  Result<bool> go_back(const RevisionId& service, const Shares& before, std::string_view cause);
  Served served(const RevisionId& service, const RunningCanary& run) const;

  ServiceStore& store_;
  RolloutRunner& rollouts_;
  const sys::Clock& clock_;
  const ServedSoFar served_;
  std::map<RevisionId, RunningCanary> runs_;  // by service
};

}  // namespace bellows::machine
