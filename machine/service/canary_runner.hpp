// Deploys by steps: the shares of a revision grow, or go back.
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
  Number number;  ///< of the revision that it is about
  Shares before;  ///< that it goes back to
  TimePoint began;
  std::optional<TimePoint> ended = {};
  TimePoint try_again_at{};  ///< if it could not go back
};

/// Each step is a rollout. Owner: a Deployer. Thread: the io thread.
class CanaryRunner {
 public:
  /// What a revision has done with its requests so far; those that took longer than `slow` count as
  /// slow from then on.
  using ServedSoFar = std::function<Served(const RevisionId&, Duration slow)>;

  /// All outlive it.
  CanaryRunner(ServiceStore& store, RolloutRunner& rollouts, const sys::Clock& clock,
               ServedSoFar served)
      : store_(store), rollouts_(rollouts), clock_(clock), served_(std::move(served)) {}
  CanaryRunner(const CanaryRunner&) = delete;
  CanaryRunner& operator=(const CanaryRunner&) = delete;

  /// `next`: the service with the revision `number`, and its shares as they are.
  Result<void> begin(ServiceRecord next, Number number, const ServiceOrder& order);
  /// Ends the one that is under way. True: a rollout to the shares before it has begun.
  Result<bool> roll_back(const RevisionId& service, const ServiceOrder& order);
  /// The service gets another order, or was removed.
  void forget(const RevisionId& service) { runs_.erase(service); }

  /// Goes on, or back. After RolloutRunner::look(). Call it often while has_work().
  void look();
  bool has_work() const;

  /// The last one, until another order. nullptr: there was none.
  const RunningCanary* find(const RevisionId& service) const;
  /// nullptr: none is under way.
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
