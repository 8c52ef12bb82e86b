// The full reasons of the catalogue, without full stops.
#pragma once

#include <string>

#include "autoscaler/explain/subject.hpp"

namespace bellows::autoscaler::explain {

std::string why_demand(const Subject& subject);
std::string why_no_data(const Subject& subject);
std::string why_down_rate(const Subject& subject);
std::string why_up_rate(const Subject& subject);
std::string why_activation_scale(const Subject& subject);
std::string why_panic_hold(const Subject& subject);
std::string why_delay(const Subject& subject);
std::string why_initial_scale(const Subject& subject);
std::string why_min_scale(const Subject& subject);
std::string why_max_scale(const Subject& subject);
std::string why_expected(const Subject& subject);
std::string why_last_replica(const Subject& subject);
std::string why_grace(const Subject& subject);
/// Returns the reason of no replica: the keep-alive is over or never began.
std::string why_zero(const Subject& subject);
/// Returns the reason that kept replicas were removed for another service.
std::string why_machine_room(const Subject& subject);
std::string why_paused(const Subject& subject);

}  // namespace bellows::autoscaler::explain
