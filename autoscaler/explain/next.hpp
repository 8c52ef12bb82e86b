// The next event after a decision, for the catalogue, without a full stop. Empty: none is known.
#pragma once

#include <string>

#include "autoscaler/explain/catalogue.hpp"

namespace bellows::autoscaler::explain {

/// Returns the load at which panic mode starts.
std::string next_panic(const Subject& subject);
/// Returns the end of panic mode.
std::string next_in_panic(const Subject& subject);
/// Returns the start time of a replica.
std::string next_ready(const Subject& subject);
std::string next_evaluation(const Subject& subject);
/// Returns the time at which the unknown load is known.
std::string next_report(const Subject& subject);
/// Returns the time at which the last replica is removed.
std::string next_removal(const Subject& subject);
/// Returns the start of a replica by the next request.
std::string next_request(const Subject& subject);
/// Returns the future number of a schedule.
std::string next_by_policy(const Subject& subject);

}  // namespace bellows::autoscaler::explain
