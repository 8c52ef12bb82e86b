// Tags: hosts that lead to one revision of a service, whatever its share.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "config/service.hpp"
#include "machine/core/service_record.hpp"
#include "machine/service/canary_runner.hpp"
#include "machine/service/order_checks.hpp"
#include "machine/service/revision_placer.hpp"
#include "machine/service/rollout_runner.hpp"
#include "machine/service/service_order.hpp"
#include "machine/service/service_store.hpp"

namespace bellows::machine {

/// Owner: a Deployer. Thread: the io thread.
class TagOrders {
 public:
  /// All of them outlive it.
  TagOrders(const OrderChecks& checks, ServiceStore& store, RevisionPlacer& placer,
            RolloutRunner& rollouts, CanaryRunner& canaries)
      : checks_(checks), store_(store), placer_(placer), rollouts_(rollouts), canaries_(canaries) {}

  /// Sets revisions by tag, in force at once; without a revision the tag is removed.
  Result<ServiceAnswer> tag(const RevisionId& service,
                            const std::map<std::string, std::string>& tags,
                            const ServiceOrder& order);

  /// Starts the new revision once as a proof, and gives it the tag of the order, but no share of
  /// the requests. `record`: the service, which is idle.
  Result<ServiceAnswer> deploy(ServiceRecord record, const config::Service& content,
                               const ServiceOrder& order);

 private:
  Result<void> take_effect(const ServiceRecord& next);

  const OrderChecks& checks_;
  ServiceStore& store_;
  RevisionPlacer& placer_;
  RolloutRunner& rollouts_;
  CanaryRunner& canaries_;
};

}  // namespace bellows::machine
