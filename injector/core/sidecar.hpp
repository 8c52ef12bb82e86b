// The container of the queue-proxy.
#pragma once

#include "injector/core/node.hpp"
#include "injector/core/plan.hpp"

namespace bellows::injector {

Node sidecar_container(const Plan& plan, const InjectOptions& options);

/// The hook that holds the app back until the queue-proxy has drained.
Node drain_hook(const Plan& plan);

/// Tells versions of what is added apart: a hash of it, 16 digits.
std::string sidecar_hash(const Node& container);

}  // namespace bellows::injector
