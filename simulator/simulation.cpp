#include "simulator/simulation.hpp"

#include "simulator/world.hpp"

namespace bellows::simulator {

Outcome simulate(const Workload& workload, const Survey& limits,
                 const config::RevisionSettings& settings, const Progress& progress) {
  DecidingScaler scaler(settings);
  return World(workload, limits, settings, scaler).run(progress);
}

Outcome simulate_oracle(const Workload& workload, const Survey& limits,
                        const config::RevisionSettings& settings, const Progress& progress) {
  Oracle oracle(Demand(limits, workload.app, settings), kSimulationBegin,
                workload.app.start.longest());
  config::RevisionSettings unbounded = settings;
  unbounded.initial_scale = 0;
  unbounded.load_balancing = config::LoadBalancing::kLeastLoaded;
  return World(workload, limits, unbounded, oracle).run(progress);
}

}  // namespace bellows::simulator
