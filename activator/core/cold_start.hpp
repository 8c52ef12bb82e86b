// One cold start: where the time went from the first held request to its response.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  std::string trace_id = {};                 ///< of the request; empty: it has none

  bool operator==(const ColdStart&) const = default;
};

/// What had happened how long after the first request was held.
struct ColdStartPart {
  std::string_view name;       ///< in the journal: "process_started"
  std::string_view attribute;  ///< in a span: "cold_start.process_started"
  Duration since_held{};       ///< 0 if it happened before: it took none of the caller's time
};

/// In that order; what is not known is left out.
inline std::vector<ColdStartPart> parts_of(const ColdStart& start) {
  std::vector<ColdStartPart> parts;
  const auto add = [&](std::string_view attribute, std::optional<TimePoint> at) {
    const std::string_view name = attribute.substr(attribute.find('.') + 1);
    if (at) parts.push_back({name, attribute, std::max(*at - start.held, Duration::zero())});
  };
  add("cold_start.ordered", start.ordered);
  add("cold_start.process_started", start.process_started);
  add("cold_start.ready", start.ready);
  add("cold_start.forwarded", start.forwarded);
  add("cold_start.first_byte", start.answered);
  return parts;
}

}  // namespace bellows::activator
