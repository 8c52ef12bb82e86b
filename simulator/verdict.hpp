// What a comparison says, in one sentence. Pure.
#pragma once

#include <string>

#include "simulator/comparison.hpp"

namespace bellows::simulator {

/// "bellows: 0.43 of knative's waste, nobody waits longer than 7.00ms (knative: 2.10s), no request
/// is lost": the first policy beside each other one; alone its waste beside the load.
std::string verdict(const Comparison& comparison);

}  // namespace bellows::simulator
