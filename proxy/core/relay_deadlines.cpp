#include "proxy/core/relay_deadlines.hpp"

namespace bellows::proxy {

namespace {

bool is_tunnel(RelayStage stage) {
  return stage == RelayStage::kTunnel || stage == RelayStage::kHalfOpenTunnel;
}

TimePoint deadline_of(Duration limit, TimePoint since) {
  return limit > Duration::zero() ? since + limit : TimePoint::max();
}

TimePoint total_deadline(const TimeLimits& limits, RelayStage stage, const RelayTimes& times) {
  return is_tunnel(stage) ? TimePoint::max() : deadline_of(limits.total, times.arrived);
}

TimePoint start_deadline(const TimeLimits& limits, RelayStage stage, const RelayTimes& times) {
  return stage == RelayStage::kAwaitingResponse
             ? deadline_of(limits.response_start, times.forwarded)
             : TimePoint::max();
}

TimePoint tunnel_deadline(const TimeLimits& limits, RelayStage stage, const RelayTimes& times) {
  return is_tunnel(stage) ? deadline_of(limits.tunnel, times.switched) : TimePoint::max();
}

TimePoint half_open_deadline(RelayStage stage, const RelayTimes& times) {
  return stage == RelayStage::kHalfOpenTunnel ? times.last_activity + kHalfOpenTimeout
                                              : TimePoint::max();
}

}  // namespace

TimePoint next_deadline(const TimeLimits& limits, RelayStage stage, const RelayTimes& times) {
  return std::min({total_deadline(limits, stage, times), start_deadline(limits, stage, times),
                   deadline_of(limits.idle, times.last_activity), half_open_deadline(stage, times),
                   tunnel_deadline(limits, stage, times)});
}

RelayTimeout exceeded_limit(const TimeLimits& limits, RelayStage stage, const RelayTimes& times,
                            TimePoint now) {
  if (tunnel_deadline(limits, stage, times) <= now) return RelayTimeout::kTunnelLife;
  if (half_open_deadline(stage, times) <= now) return RelayTimeout::kHalfOpen;
  if (total_deadline(limits, stage, times) <= now) return RelayTimeout::kTotal;
  if (deadline_of(limits.idle, times.last_activity) <= now) return RelayTimeout::kIdle;
  if (start_deadline(limits, stage, times) <= now) return RelayTimeout::kResponseStart;
  return RelayTimeout::kNone;
}

std::string_view timeout_message(RelayTimeout timeout, RelayStage stage, bool is_request_late) {
  const bool is_idle = timeout == RelayTimeout::kIdle;
  if (stage != RelayStage::kAwaitingResponse) {
    return timeout == RelayTimeout::kTotal
               ? "the response took longer than the request's time limit"
               : "nothing moved within the idle time limit";
  }
  if (is_request_late) {
    return is_idle ? "nothing of its request moved within the idle time limit"
                   : "its request did not arrive within the time limit";
  }
  if (is_idle) return "nothing moved within the idle time limit";
  return timeout == RelayTimeout::kTotal ? "no response within the request's time limit"
                                         : "no response within the time limit for its start";
}

}  // namespace bellows::proxy
