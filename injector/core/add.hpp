// Injects the queue-proxy into one object.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "injector/core/editor.hpp"
#include "injector/core/plan.hpp"
#include "injector/core/record.hpp"
#include "injector/core/service.hpp"

namespace bellows::injector {

/// Adds the queue-proxy to the pods of `workload`. `shared` is what was written out for that. After
/// an error, or if the editor is blocked, the editor must not be used.
Result<void> add_to_workload(const Resource& workload, const Plan& plan,
                             const InjectOptions& options, const std::vector<SharedValue>& shared,
                             Editor& editor);

/// A port of a Service whose target port gets a name.
struct TargetChange {
  ServicePort port;
  std::string name;
};

/// Changes these ports of `service` to target the queue-proxy. `shared`, errors and a blocked
/// editor are as in add_to_workload().
Result<void> add_to_service(const Service& service, const std::vector<TargetChange>& changes,
                            const std::vector<SharedValue>& shared, Editor& editor);

}  // namespace bellows::injector
