// The probes and hooks of the app's container: which go to the queue-proxy, which name its port.
#pragma once

#include "injector/core/plan.hpp"

namespace bellows::injector {

/// Decides where the readiness probe runs, and lists the probes and hooks that name the app's port
/// and stay with the app. Fills in plan.settings.readiness, moves_readiness, references and notes.
void plan_probes(const Node& container, Plan& plan);

}  // namespace bellows::injector
