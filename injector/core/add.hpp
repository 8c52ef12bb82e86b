// The changes of one object when it is injected.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "injector/core/editor.hpp"
#include "injector/core/plan.hpp"
#include "injector/core/service.hpp"

namespace bellows::injector {

/// Adds the queue-proxy to the pods of `workload`. After an error the editor is of no use.
Result<void> add_to_workload(const Resource& workload, const Plan& plan,
                             const InjectOptions& options, Editor& editor);

/// The target port of a port of a Service gets a name.
struct TargetChange {
  ServicePort port;
  std::string name;
};

/// Lets these ports of `service` lead to the queue-proxy. After an error the editor is of no use.
Result<void> add_to_service(const Service& service, const std::vector<TargetChange>& changes,
                            Editor& editor);

}  // namespace bellows::injector
