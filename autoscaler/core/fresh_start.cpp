#include "autoscaler/core/fresh_start.hpp"

#include <algorithm>

#include "autoscaler/core/known_window.hpp"

namespace bellows::autoscaler {
namespace {

constexpr Duration kReplayTime = std::chrono::seconds(2);

}  // namespace

DeciderState begin(const Observation& seen, TimePoint now) {
  DeciderState state;
  state.want = seen.requested;
  if (seen.requested > 0) state.fresh = FreshStart{.since = now, .known_back_to = std::nullopt};
  if (seen.ready > 1) state.panic = Panic{.since = now, .last_over = now, .most = seen.ready};
  return state;
}

DeciderState resume(const DeciderState& saved, const Observation& seen, TimePoint now) {
  DeciderState state = saved;
  state.fresh.reset();
  if (seen.requested > 0) {
    state.fresh = FreshStart{.since = now, .known_back_to = saved.known_back_to};
  }
  return state;
}

std::optional<FreshStart> next_fresh(const std::optional<FreshStart>& before,
                                     const ScalingSpec& spec, const Observation& seen,
                                     TimePoint now) {
  if (!before) return std::nullopt;
  const Duration age = now - before->since;
  if (age >= spec.stable_window) return std::nullopt;
  const Duration needed = before->known_back_to
                              ? std::min(spec.stable_window, now - *before->known_back_to)
                              : spec.stable_window;
  const bool is_informed = age >= kReplayTime && seen.silent == 0 && knows(seen, needed);
  return is_informed ? std::nullopt : before;
}

}  // namespace bellows::autoscaler
