#include "simulator/simulation.hpp"

#include <utility>

#include "simulator/world.hpp"

namespace bellows::simulator {

Outcome simulate(const Workload& workload, const LoadProfile& profile,
                 const config::RevisionSettings& settings, const Progress& progress,
                 DecisionSink sink) {
  DecidingScaler scaler(settings, std::move(sink));
  return World(workload, profile, settings, scaler).run(progress);
}

Outcome simulate_oracle(const Workload& workload, const LoadProfile& profile,
                        const config::RevisionSettings& settings, const Progress& progress) {
  Oracle oracle(Demand(profile, workload.app, settings), kSimulationBegin,
                workload.app.start.longest());
  config::RevisionSettings unbounded = settings;
  unbounded.initial_scale = 0;
  unbounded.load_balancing = config::LoadBalancing::kLeastLoaded;
  return World(workload, profile, unbounded, oracle).run(progress);
}

}  // namespace bellows::simulator
