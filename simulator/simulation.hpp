// One policy on one workload, in virtual time.
#pragma once

#include "config/revision_settings.hpp"
#include "simulator/outcome.hpp"
#include "simulator/survey.hpp"
#include "simulator/workload.hpp"

namespace bellows::simulator {

/// Runs the traffic against one revision with `settings`: the activator's throttler holds and
/// spreads the requests, each replica's queue-proxy limits and measures them, stats go into the
/// windows each second, and the decider is asked every two seconds and on a wake. `limits` is
/// survey(workload); one for all policies. The same arguments give the same outcome, bit by bit.
/// README.md says what is modelled and what is not. Pure.
Outcome simulate(const Workload& workload, const Survey& limits,
                 const config::RevisionSettings& settings, const Progress& progress = {});

/// The same with an oracle in the decider's place, which knows what will be needed by the time an
/// order of its next turn is ready. It heeds no bound of the settings.
Outcome simulate_oracle(const Workload& workload, const Survey& limits,
                        const config::RevisionSettings& settings, const Progress& progress = {});

}  // namespace bellows::simulator
