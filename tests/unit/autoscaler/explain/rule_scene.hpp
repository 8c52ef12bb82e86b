// Scenes in which one rule decides.
#pragma once

#include <vector>

#include "autoscaler/core/state/idle_times.hpp"
#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::explain::test {

using autoscaler::test::active_since;
using autoscaler::test::at;
using autoscaler::test::inactive_since;
using autoscaler::test::load;
using autoscaler::test::seconds;
using autoscaler::test::spec_of;

/// What a decider is given at 14:00:00: five replicas that have served for long, seven in flight
/// each, everything else as Bellows has it. A row changes what its rule needs.
struct Scene {
  ScalingSpec spec = spec_of("bellows");
  Observation seen = load(31.2, 20, 5);
  DeciderState state = active_since(at(-600));

  Scene() {
    spec.target = 7;
    spec.total = 10;
    spec.max_scale_up_rate = 10;
    state.is_initialised = true;
  }
};

/// The last call came so long ago, and the earlier ones with these gaps.
inline void nobody_calls(Scene& scene, Duration idle, const std::vector<float>& gaps) {
  scene.seen = load(0, 0, 1);
  scene.seen.idle_for = idle;
  scene.state = inactive_since(at(0) - idle);
  scene.state.is_initialised = true;
  std::vector<IdleTimes::Known> known;
  for (const float gap : gaps) known.push_back({gap, gap});
  scene.state.idle_times.restore(known, at(0) - idle);
}

inline void is_at_zero(Scene& scene, Duration idle, const std::vector<float>& gaps) {
  nobody_calls(scene, idle, gaps);
  scene.seen = load(0, 0, 0);
  scene.seen.idle_for = idle;
}

/// The way to zero as Knative goes it.
inline void goes_like_knative(Scene& scene) {
  nobody_calls(scene, seconds(70), {});
  scene.spec.rules.keep_alive = config::KeepAlive::kWindow;
  scene.state.activity = {Serving::kInactive, at(-10)};
}

}  // namespace bellows::autoscaler::explain::test
