// The result of a comparison in one sentence. Pure.
#pragma once

#include <string>

#include "simulator/comparison.hpp"

namespace bellows::simulator {

/// Compares the first policy with each other one: "bellows: 0.43 of knative's waste, nobody waits
/// longer than 7.00ms (knative: 2.10s), no request is lost". A single policy is compared with the
/// load.
std::string verdict(const Comparison& comparison);

}  // namespace bellows::simulator
