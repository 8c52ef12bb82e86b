// The container of the queue-proxy.
#pragma once

#include "injector/core/node.hpp"
#include "injector/core/plan.hpp"

namespace bellows::injector {

Node sidecar_container(const Plan& plan, const InjectOptions& options);

/// Returns the volume with the token by which the queue-proxy proves whose stats it sends.
Node token_volume();

/// Returns the hook that delays the end of the app until the queue-proxy has drained.
Node drain_hook(const Plan& plan);

/// Returns a hash of the added container, 16 digits, which identifies its version.
std::string sidecar_hash(const Node& container);

}  // namespace bellows::injector
