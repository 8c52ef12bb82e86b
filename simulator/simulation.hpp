// One policy on one workload, in virtual time.
#pragma once

#include "config/revision_settings.hpp"
#include "simulator/load_profile.hpp"
#include "simulator/outcome.hpp"
#include "simulator/scaler.hpp"
#include "simulator/workload.hpp"

namespace bellows::simulator {

/// Runs the traffic against one revision with `settings`: the activator's throttler holds and
/// distributes the requests, the queue-proxy of each replica limits and measures them, stats enter
/// the windows each second, and the decider runs every two seconds and on a scale-from-zero
/// trigger. `profile` is profile_load(workload), shared by all policies. Equal arguments give equal
/// outcomes, bit for bit. README.md describes the model. `sink` gets every decision. Pure.
Outcome simulate(const Workload& workload, const LoadProfile& profile,
                 const config::RevisionSettings& settings, const Progress& progress = {},
                 DecisionSink sink = {});

/// Simulates with an oracle instead of the decider. The oracle knows the load until an order of its
/// next evaluation is ready, and ignores the scale bounds of the settings.
Outcome simulate_oracle(const Workload& workload, const LoadProfile& profile,
                        const config::RevisionSettings& settings, const Progress& progress = {});

}  // namespace bellows::simulator
