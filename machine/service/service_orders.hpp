// Checks and carries out orders on the services of a machine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "config/service.hpp"
#include "machine/core/difference.hpp"
#include "machine/core/file_services.hpp"
#include "machine/core/service_record.hpp"
#include "machine/service/canary_runner.hpp"
#include "machine/service/order_checks.hpp"
#include "machine/service/revision_placer.hpp"
#include "machine/service/rollout_runner.hpp"
#include "machine/service/service_order.hpp"
#include "machine/service/service_store.hpp"
#include "machine/service/tag_orders.hpp"

namespace bellows::machine {

/// Immediate changes take effect before an order returns; changes that need replicas only start
/// before it. An order on a service whose rollout runs is refused (kConflict). Owner: a Deployer.
/// Thread: the io thread.
class ServiceOrders {
 public:
  /// All of them outlive it.
  ServiceOrders(const OrderChecks& checks, ServiceStore& store, RevisionPlacer& placer,
                RolloutRunner& rollouts, CanaryRunner& canaries, TagOrders& tags);

  /// Makes the services those of a settings file.
  Result<ServiceAnswer> apply(const FileServices& file, Scope scope, const ServiceOrder& order);
  /// Makes a revision with this content get all requests of the service with its name.
  Result<ServiceAnswer> deploy(const config::Service& content, const ServiceOrder& order);
  Result<ServiceAnswer> add(const config::Service& service, const ServiceOrder& order);
  Result<ServiceAnswer> remove(const RevisionId& service, const ServiceOrder& order);
  /// Gives all requests to `to`, a revision; empty: to the previous one, or to the shares before a
  /// running canary.
  Result<ServiceAnswer> roll_back(const RevisionId& service, const std::string& to,
                                  const ServiceOrder& order);
  /// Sets percents by revision; their sum is 100.
  Result<ServiceAnswer> split(const RevisionId& service,
                              const std::map<std::string, std::int32_t>& shares,
                              const ServiceOrder& order);

 private:
  Result<ServiceAnswer> carry_out(const std::vector<ServiceChange>& changes,
                                  const FileServices& file, const ServiceOrder& order);
  std::optional<ServiceRecord> changed_now(const ServiceChange& change) const;
  Result<void> take_effect(Edits edits, const std::vector<ServiceChange>& changes);
  Result<void> list_new(const Edits& edits, const std::vector<ServiceChange>& changes);
  void show(const ServiceChange& change);
  Result<void> begin(ServiceRecord next, const Shares& shares, const ServiceOrder& order,
                     ServiceAnswer& answer);
  Result<ServiceAnswer> begin_canary(const ServiceRecord& record, const ServiceChange& change,
                                     const ServiceOrder& order);
  Result<ServiceAnswer> end_canary(const RevisionId& service, const RunningCanary& run,
                                   const ServiceOrder& order);

  const OrderChecks& checks_;
  ServiceStore& store_;
  RevisionPlacer& placer_;
  RolloutRunner& rollouts_;
  CanaryRunner& canaries_;
  TagOrders& tags_;
};

}  // namespace bellows::machine
