// Reports traffic that bypasses the queue-proxy, or does not reach it.
#pragma once

#include <vector>

#include "injector/core/plan.hpp"
#include "injector/core/service.hpp"

namespace bellows::injector {

/// Adds notes and warnings about Services and network policies of the input to `plan`. `services`
/// are those that select the pods; `resources` are the whole input.
void note_traffic(const Resource& workload, const std::vector<Service>& services,
                  const std::vector<Resource>& resources, const InjectOptions& options, Plan& plan);

}  // namespace bellows::injector
