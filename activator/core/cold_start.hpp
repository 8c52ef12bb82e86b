// One cold start: where the time went from the first held request to its response.
#pragma once

#include <optional>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace bellows::activator {

/// Taken for the first request that is forwarded after the revision was at zero. The replica may
/// have been ordered before the request arrived.
struct ColdStart {
  RevisionId revision;
  PodName replica;                           ///< the one that serves the request
  TimePoint held{};                          ///< when the first request began to wait
  TimePoint ordered{};                       ///< when the replica was ordered
  std::optional<TimePoint> process_started;  ///< when its app's process started
  std::optional<TimePoint> ready;            ///< when the cluster saw it ready
  TimePoint forwarded{};                     ///< when the held request was sent to it
  TimePoint answered{};                      ///< when the response head arrived

  bool operator==(const ColdStart&) const = default;
};

}  // namespace bellows::activator
