// The time limits of a request, and when each ends a relay. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/time.hpp"

namespace bellows::proxy {

/// Time limits of one request; zero: none. Before the response has begun they end the request with
/// 504, or with 408 if the request itself has not arrived. After that the downstream is reset,
/// because an aborted body must not look complete; a gRPC call gets DEADLINE_EXCEEDED between two
/// messages. Only `idle` and `tunnel` apply to a tunnel (an upgraded connection).
struct TimeLimits {
  Duration total = Duration::zero();           ///< since the request's arrival, queueing included
  Duration response_start = Duration::zero();  ///< from forward() until the response's head
  Duration idle = Duration::zero();            ///< without a byte in either direction
  Duration tunnel = Duration::zero();          ///< from the 101 to the end of both directions
};

/// Time for which a tunnel waits for a byte of one side after the other side has ended.
inline constexpr Duration kHalfOpenTimeout = std::chrono::seconds(10);

/// Stage of a relay that selects its time limits.
enum class RelayStage : std::uint8_t {
  kAwaitingResponse,
  kRelayingResponse,
  kTunnel,
  kHalfOpenTunnel,  ///< one side has ended
};

struct RelayTimes {
  TimePoint arrived;        ///< arrival of the request
  TimePoint forwarded;      ///< call of forward()
  TimePoint last_activity;  ///< last transfer of a byte
  TimePoint switched = {};  ///< tunnel only: the 101
};

enum class RelayTimeout : std::uint8_t {
  kNone,
  kTunnelLife,
  kHalfOpen,
  kTotal,
  kIdle,
  kResponseStart
};

/// Returns the earliest instant at which a limit is exceeded if no byte is transferred;
/// TimePoint::max() if there is none.
TimePoint next_deadline(const TimeLimits& limits, RelayStage stage, const RelayTimes& times);

/// Returns the limit that is exceeded at `now`: the first in the order of the enumeration.
RelayTimeout exceeded_limit(const TimeLimits& limits, RelayStage stage, const RelayTimes& times,
                            TimePoint now);

/// Returns the text of the error. `is_request_late`: the rest of the request has not arrived.
std::string_view timeout_message(RelayTimeout timeout, RelayStage stage, bool is_request_late);

}  // namespace bellows::proxy
