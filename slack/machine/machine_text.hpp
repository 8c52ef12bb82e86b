// Describes starts that would not fit on the machine, with the numbers that would. Pure.
#pragma once

#include <string>
#include <vector>

#include "slack/machine/machine_plan.hpp"

namespace bellows::slack {

/// Returns the problems by service, those of the machine itself first. `plan` has everything but
/// `unmet`.
std::vector<Unmet> machine_unmet(const MachineInput& input, const MachinePlan& plan);

/// Returns one line for people: "service web: memory 300Mi: its next replica would not fit ...".
std::string to_line(const Unmet& unmet);

}  // namespace bellows::slack
