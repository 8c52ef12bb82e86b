// Reports traffic that bypasses the queue-proxy or does not reach it, and what keeps pods from
// scaling.
#pragma once

#include <vector>

#include "injector/core/plan.hpp"
#include "injector/core/service.hpp"

namespace bellows::injector {

/// Adds notes and warnings about Services and network policies of the input to `plan`. `services`
/// and `policies` are those that select the pods.
void note_traffic(const std::vector<Service>& services,
                  const std::vector<const Resource*>& policies, const InjectOptions& options,
                  Plan& plan);

/// Adds a note if the label that makes a Deployment scale is missing, a warning if it has a value
/// without a meaning, and a warning if only the
/// cluster has it: the next apply of the file takes it away, and with it the Revision.
void note_label(const Resource& workload, bool has_revision, Plan& plan);

}  // namespace bellows::injector
