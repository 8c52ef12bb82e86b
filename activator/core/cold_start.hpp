// One wake, from the first held request to its answer: where the time went.
#pragma once

#include <optional>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace bellows::activator {

/// Taken at the first request that gets through after the revision slept. The replica may have been
/// ordered before the request came (by somebody else, or a moment too late to go down).
struct ColdStart {
  RevisionId revision;
  PodName replica;                           ///< that served it
  TimePoint held{};                          ///< the first request began to wait
  TimePoint ordered{};                       ///< the replica
  std::optional<TimePoint> process_started;  ///< its app's process
  std::optional<TimePoint> ready;            ///< as the cluster saw it
  TimePoint forwarded{};                     ///< the held request was sent to it
  TimePoint answered{};                      ///< its first bytes came back, for the caller

  bool operator==(const ColdStart&) const = default;
};

}  // namespace bellows::activator
