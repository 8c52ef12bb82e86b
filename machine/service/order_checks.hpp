// Checks orders on the services of a machine; changes nothing.
#pragma once

#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/sys/clock.hpp"
#include "cluster/local/revision_host.hpp"
#include "config/fixed_ports.hpp"
#include "config/service.hpp"
#include "machine/core/difference.hpp"
#include "machine/core/service_record.hpp"
#include "machine/service/canary_runner.hpp"
#include "machine/service/rollout_runner.hpp"
#include "machine/service/service_store.hpp"

namespace bellows::machine {

/// Owner: a Deployer. Thread: the io thread.
class OrderChecks {
 public:
  /// All of them outlive it. `ports`: those that no app gets. `is_measuring`: apps can be measured;
  /// new ones with a resources-mode need that.
  OrderChecks(const cluster::RevisionHost& host, const ServiceStore& store,
              const RolloutRunner& rollouts, const CanaryRunner& canaries, const sys::Clock& clock,
              config::FixedPorts ports, bool is_measuring);

  /// Refuses every later order.
  void refuse_all() { is_stopping_ = true; }

  /// kConflict: a rollout or a canary runs; kUnavailable after refuse_all().
  Result<void> is_idle(const RevisionId& service) const;
  /// Returns a service that is idle. kNotFound with the existing names.
  Result<ServiceRecord> existing(const RevisionId& service) const;

  /// Returns a service that may be removed: any, whatever is under way.
  Result<ServiceRecord> removable(const RevisionId& service) const;

  /// Checks all changes together, before the first one takes effect.
  Result<void> changes(const std::vector<ServiceChange>& changes) const;
  /// Checks the fixed ports of revisions that will have these shares.
  Result<void> ports(const ServiceRecord& service, const Shares& shares) const;
  /// Checks a revision that gets its requests only by a tag.
  Result<void> tagged(const config::Service& content) const;
  /// Checks the routes and ports with the tags of `next`.
  Result<void> tags(const ServiceRecord& next) const;

 private:
  Result<void> is_open(const RevisionId& service) const;
  Result<void> content(const Edits& edits, const ServiceChange& change) const;
  Result<void> measured(const config::Service& revision) const;

  const cluster::RevisionHost& host_;
  const ServiceStore& store_;
  const RolloutRunner& rollouts_;
  const CanaryRunner& canaries_;
  const sys::Clock& clock_;
  const config::FixedPorts ports_;
  const bool is_measuring_;
  bool is_stopping_ = false;
};

/// Returns the record after the change. nullopt: there would be none.
std::optional<ServiceRecord> after(const Records& records, const ServiceChange& change);

}  // namespace bellows::machine
