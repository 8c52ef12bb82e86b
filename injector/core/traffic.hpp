// Reports traffic that bypasses the queue-proxy or does not reach it, and what keeps pods from
// scaling.
#pragma once

#include <vector>

#include "injector/core/plan.hpp"
#include "injector/core/service.hpp"

namespace bellows::injector {

/// Adds notes and warnings about Services and network policies of the input to `plan`. `services`
/// are those that select the pods; `resources` are the whole input.
void note_traffic(const Resource& workload, const std::vector<Service>& services,
                  const std::vector<Resource>& resources, const InjectOptions& options, Plan& plan);

/// Adds a note if the label that makes a Deployment scale is missing, and a warning if only the
/// cluster has it: the next apply of the file takes it away, and with it the Revision.
void note_label(const Resource& workload, const std::vector<Resource>& resources, Plan& plan);

}  // namespace bellows::injector
