// The result of a comparison in one sentence. Pure.
#pragma once

#include <string>

#include "simulator/comparison.hpp"

namespace bellows::simulator {

/// Compares the first policy with each other one: "bellows: 0.43 of knative's waste, nobody waits
/// longer than 7.00ms (knative: 2.10s), no request is lost". A single policy is compared with the
/// load.
std::string verdict(const Comparison& comparison);

/// Names the cheapest policy that keeps the waiting: its p99 wait is at most 10 ms above that of
/// the policy with the fewest lost requests and then the shortest p99 wait, and it loses no more.
/// "Cheapest that keeps the waiting: bellows, 1 200 replica-seconds (knative: 1 300), p99 wait 4ms
/// (knative: 0)". Empty for less than two policies.
std::string cheapest_text(const Comparison& comparison);

}  // namespace bellows::simulator
