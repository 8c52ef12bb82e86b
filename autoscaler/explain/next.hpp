// What happens after a decision, for the catalogue. Empty: nothing to say. No full stops.
#pragma once

#include <string>

#include "autoscaler/explain/subject.hpp"

namespace bellows::autoscaler::explain {

std::string nothing_next(const Subject& subject);
/// How far panic mode is.
std::string next_panic(const Subject& subject);
/// When panic mode ends.
std::string next_in_panic(const Subject& subject);
/// How long a start takes.
std::string next_ready(const Subject& subject);
std::string next_evaluation(const Subject& subject);
/// When enough of the load is known.
std::string next_informed(const Subject& subject);
/// When the unknown load is known.
std::string next_report(const Subject& subject);
std::string next_delay(const Subject& subject);
/// Until max-scale is raised.
std::string next_raised(const Subject& subject);
/// When the last replica is removed.
std::string next_removal(const Subject& subject);
/// That load brings replicas back.
std::string next_room(const Subject& subject);
/// That it has to be resumed.
std::string next_resumed(const Subject& subject);
/// What the next request starts.
std::string next_request(const Subject& subject);

}  // namespace bellows::autoscaler::explain
