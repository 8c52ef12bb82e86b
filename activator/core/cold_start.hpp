// One cold start: how the time from the first held request to its response was spent.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace bellows::activator {

/// Recorded for the first request that is forwarded after the revision was at zero. The replica may
/// have been ordered before the request arrived.
struct ColdStart {
  RevisionId service;
  RevisionId revision;
  PodName replica;                           ///< serves the request
  TimePoint held{};                          ///< the first request began to wait
  TimePoint ordered{};                       ///< the replica was ordered
  std::optional<TimePoint> process_started;  ///< the process of its app started
  std::optional<TimePoint> ready;            ///< the cluster reported it ready
  TimePoint forwarded{};                     ///< the held request was sent to it
  TimePoint answered{};                      ///< the response head arrived
  std::string trace_id = {};                 ///< trace of the request; empty: none
  std::string user_agent = {};               ///< of the request; empty: none

  bool operator==(const ColdStart&) const = default;
};

/// A step of a cold start, with the time since the first request was held.
struct ColdStartPart {
  std::string_view name;       ///< in the journal: "process_started"
  std::string_view attribute;  ///< in a span: "cold_start.process_started"
  /// 0 if it happened before, because it then took none of the caller's time.
  Duration since_held{};
};

/// Returns the steps in that order, without unknown ones.
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
