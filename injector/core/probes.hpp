// Decides which probes and hooks of the app's container move to the queue-proxy, and finds those
// that name its port.
#pragma once

#include "injector/core/plan.hpp"

namespace bellows::injector {

/// Decides where the readiness probe runs, and lists the probes and hooks that name the app's port
/// and stay with the app. Sets plan.settings.readiness, moves_readiness, references and notes.
void plan_probes(const Node& container, Plan& plan);

}  // namespace bellows::injector
