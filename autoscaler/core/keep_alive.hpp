// The last replica, by what the gaps between calls have taught.
#pragma once

#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/gaps.hpp"

namespace bellows::autoscaler {

/// How long ago the newest calls were.
struct Since {
  Duration last{};   ///< since the last of them
  Duration first{};  ///< since the first one after the gap before them
};

/// Whether a replica is wanted though nobody calls:
///  - no gap is known yet: within a stable window;
///  - half of the known gaps or more are not longer than one and a half of it: within those;
///  - around the end of each known gap and period, from early enough for a start until a little
///  after, as long as the
///    cold starts that are spared, each worth cold-start-worth, outweigh the time that is waited
///    for nobody, an unheard-of gap counted in.
/// So a call every five minutes finds a replica that came a moment before it, and a service that is
/// called once costs no more than a window. After the hybrid histogram policy of Shahrad et al.,
/// "Serverless in the Wild", USENIX ATC 2020, on single gaps instead of minutes.
bool is_worth_keeping(const ScalingSpec& spec, const Gaps& gaps, const Since& since,
                      Duration start);

/// Keep-alive learned, once nothing at all was in flight for a panic window, outside panic and
/// scale-down-delay, and if no more than one replica is asked for: one (Rule::kExpected, or
/// Rule::kLastReplica before anything was learned) or none (Rule::kToZero). A pod retention period
/// is kept on top: the last replica stays until it has passed after the window is empty. The grace
/// period means nothing here: the activator is asked whether it is in the path (Rule::kProbe).
void keep_while_worth(Answer& answer, const ScalingSpec& spec, const Observation& seen,
                      const Memory& memory, const Gaps& gaps, TimePoint now);

/// Takes a gap in, if a call ended one.
void record_gap(Gaps& gaps, const Memory& before, const Decision& decision);

}  // namespace bellows::autoscaler
